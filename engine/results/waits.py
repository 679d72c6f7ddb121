"""What is answered to waits and goals."""

from engine.results.result import Result
from engine.waiting import BarrierView, GoalView, Release


class WaitSet(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``wait_for`` and ``goal_wait``: it stands. Its release comes as an event."""

    status: str
    barrier: BarrierView


class WaitReleased(Result, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a wait, as ``jobdeck wait-for --json`` tells it."""

    status: str
    barrier: BarrierView
    release: Release


class Lifted(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``lift`` and ``goal_unwait``."""

    status: str
    lifted: bool
    """False when nothing was waited for (any more)."""


class GoalSaid(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of the verbs of goals: how it stands now."""

    status: str
    goal: GoalView


class GoalsListed(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``goal_status``: the caller's goals, oldest first; one, if one was asked for."""

    goals: tuple[GoalView, ...]
