"""An engine that runs the jobs of a file in a folder of the test's own."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from file_jobs import BASE, Jobs, Run
from ports import own_port

from engine import Engine
from engine.clock import Clock
from engine.config.loading import load


@pytest.fixture
def run(folder: Path) -> Iterator[Run]:
    """Run the jobs of this text."""
    with ExitStack() as stack:

        def begin(text: str, clock: Clock | None = None, *, follows: bool = False) -> Jobs:
            (folder / "jobdeck.toml").write_text(text)
            configuration = load(base=BASE)
            assert not configuration.problems
            engine = Engine(configuration=configuration, clock=clock, follows=follows, runs_jobs=True)
            return Jobs(stack.enter_context(engine))

        yield begin


@pytest.fixture
def port() -> Iterator[int]:
    """On which nobody listens yet."""
    with own_port() as number:
        yield number
