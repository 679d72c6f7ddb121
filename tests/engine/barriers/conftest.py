"""An engine on a clock that the test moves."""

from collections.abc import Iterator

import pytest
from manual_clock import ManualClock
from waiting import PATIENCE

from engine import Engine, Settings


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def timed(clock: ManualClock) -> Iterator[Engine]:
    """Its time stands still."""
    with Engine(Settings(term_grace_seconds=0.4, kill_proof_seconds=PATIENCE), clock=clock) as running:
        yield running
