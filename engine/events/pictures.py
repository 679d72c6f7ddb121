"""All there is at one moment: with it a feed begins, and goes on after it fell behind."""

import msgspec

from engine.delegation import BatchView
from engine.events.view import JobView
from engine.waiting import BarrierView, GoalView


class Snapshot(msgspec.Struct, frozen=True, tag=True):
    """All jobs at ``sequence``; what follows in the feed came later."""

    sequence: int
    at: float
    jobs: tuple[JobView, ...]
    barriers: tuple[BarrierView, ...] = ()
    goals: tuple[GoalView, ...] = ()
    batches: tuple[BatchView, ...] = ()


class Resync(msgspec.Struct, frozen=True, tag=True):
    """The subscriber fell behind: here is everything anew; changes in between were skipped."""

    sequence: int
    at: float
    jobs: tuple[JobView, ...]
    barriers: tuple[BarrierView, ...] = ()
    goals: tuple[GoalView, ...] = ()
    batches: tuple[BatchView, ...] = ()
