"""The part of `EngineApi` that is about waits and goals (spec 2.7)."""

from typing import Protocol

from engine.api.call import Call
from engine.results import GoalSaid, GoalsListed, Lifted, Refused, WaitSet
from engine.spec import GoalSpec, WaitSpec


class GoalApi(Protocol):
    """Waits and goals. What is set, released and changed comes as `BarrierSet`, `BarrierReleased`, `GoalChanged`.

    A goal that another engine of this home hosts is shown like one's own; verbs on it are handed to that engine.
    """

    def wait_for(self, spec: WaitSpec) -> Call[WaitSet | Refused]:
        """Wait for something; answers at once. ``spec.then`` is run once it has happened."""

    def lift(self, barrier_id: str) -> Call[Lifted]:
        """Wait for it no longer; true, then false. A goal whose barrier it was goes on."""

    def stand_still(self, on: bool) -> Call[bool]:
        """While it is on, no wait is released by its signal and no goal goes on; what came meanwhile counts afterwards.

        For who is about to leave and ends the jobs first: that is no end that anybody waited for. False: only the
        operator can.
        """

    def goal_start(self, spec: GoalSpec) -> Call[GoalSaid | Refused]:
        """Begin a goal; its first turn starts at once."""

    def goal_status(self, goal_id: str = "") -> Call[GoalsListed | Refused]:
        """How one goal stands (by id or a unique beginning of it), or all."""

    def goal_wait(self, goal_id: str, spec: WaitSpec) -> Call[WaitSet | Refused]:
        """Park an active goal until something has happened; replaces what it waits for now."""

    def goal_unwait(self, goal_id: str) -> Call[Lifted | Refused]:
        """Let a parked goal go on; true, then false."""

    def goal_pause(self, goal_id: str, reason: str = "") -> Call[GoalSaid | Refused]:
        """No further turn; a step that runs is left to its end, without a judge. Drops the barrier."""

    def goal_resume(self, goal_id: str) -> Call[GoalSaid | Refused]:
        """Go on with the next turn; a budget that was used up begins anew. Drops the barrier."""

    def goal_clear(self, goal_id: str) -> Call[GoalSaid | Refused]:
        """Give it up and forget it; a step that runs is ended."""
