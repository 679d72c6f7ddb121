"""A home of its own a test, so that no goal of another is taken over; an engine in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from manual_clock import ManualClock
from waiting import PATIENCE

from engine import Engine, Settings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("engine.goals.hosting._FLUSH_SECONDS", PATIENCE)  # the next engine is to have the goals
    return tmp_path / "home"


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(Settings(term_grace_seconds=0.4, kill_proof_seconds=PATIENCE)) as running:
        yield running


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def timed(home: Path, clock: ManualClock) -> Iterator[Engine]:
    """Its time stands still."""
    with Engine(Settings(term_grace_seconds=0.4, kill_proof_seconds=PATIENCE), clock=clock) as running:
        yield running
