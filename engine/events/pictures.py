"""All there is at one moment: with it a feed begins, and goes on after it fell behind."""

import msgspec

from engine.delegation import BatchView
from engine.events.view import JobView
from engine.waiting import BarrierView, GoalView


class Picture(msgspec.Struct, frozen=True):
    """What a subscriber may know of."""

    sequence: int
    at: float
    jobs: tuple[JobView, ...]
    barriers: tuple[BarrierView, ...] = ()
    goals: tuple[GoalView, ...] = ()
    batches: tuple[BatchView, ...] = ()


class Snapshot(Picture, frozen=True, tag=True):
    """All jobs at ``sequence``; what follows in the feed came later."""


class Resync(Picture, frozen=True, tag=True):
    """The subscriber fell behind: here is everything anew; changes in between were skipped."""
