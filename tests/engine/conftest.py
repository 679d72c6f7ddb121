"""One engine a test, ended with all its jobs."""

from collections.abc import Iterator

import pytest

from engine import Engine, Settings


@pytest.fixture
def settings() -> Settings:
    """A short grace, so that no test waits long for a stubborn job."""
    return Settings(term_grace_seconds=0.4)


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    """A real engine."""
    with Engine(settings) as running:
        yield running
