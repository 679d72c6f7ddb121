"""``jobdeck run -- PROG ARG…``, which needs no command line's library: loading that takes a sixth of the whole."""

from collections.abc import Sequence
from typing import NoReturn


def run_exactly(words: Sequence[str]) -> NoReturn:
    """Run a program with its arguments, as ``tui.cli.main`` does, and end with its exit code."""
    from engine.config.loading import load
    from engine.spec import JobSpec
    from tui.cli.configured import say_problems
    from tui.cli.last_words import unprinted
    from tui.cli.leave import leave
    from tui.cli.run import run_foreground

    try:
        configuration = load(None)
        say_problems(configuration)
        code = run_foreground(JobSpec(argv=tuple(words)), configuration)
    except OSError as error:
        code = unprinted(error)
    leave(code)
