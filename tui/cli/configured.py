"""The configuration for a verb: from the files, or the one that ``jobdeck --config FILE`` names."""

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

    from engine.config import Configuration, Settings

_META = "jobdeck.config"


def take_option(ctx: "click.Context", _param: "click.Parameter", value: str | None) -> None:
    """Keep what ``--config`` names for the verb that follows."""
    if value is not None:
        ctx.meta[_META] = value


def configuration(ctx: "click.Context", base: "Settings | None" = None, *, aloud: bool = True) -> "Configuration":
    """What the files say, over ``base``; ``aloud``: say on stderr what is wrong with them."""
    from engine.config.loading import NoSuchFile, load

    try:
        loaded = load(ctx.meta.get(_META), base=base)
    except NoSuchFile as error:
        ctx.fail(str(error))
    if aloud:
        say_problems(loaded)
    return loaded


def say_problems(loaded: "Configuration") -> None:
    """Say on stderr what is wrong with the files."""
    for problem in loaded.problems:
        sys.stderr.write(f"jobdeck: {problem}\n")
