"""What is said of waits and goals."""

import msgspec

from engine.waiting import BarrierView, GoalView, Release


class BarrierSet(msgspec.Struct, frozen=True, tag=True):
    """Something is waited for."""

    sequence: int
    at: float
    barrier: BarrierView


class BarrierReleased(msgspec.Struct, frozen=True, tag=True):
    """It is waited for no more; said exactly once a barrier."""

    sequence: int
    at: float
    barrier: BarrierView
    release: Release


class GoalChanged(msgspec.Struct, frozen=True, tag=True):
    """A goal stands otherwise than before; ``cleared`` is the last word on one."""

    sequence: int
    at: float
    goal: GoalView
