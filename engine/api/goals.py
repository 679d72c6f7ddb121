# ruff: noqa: ARG002
"""The verbs of waits and goals, in-process; see `GoalApi` for what each does."""

from engine.api.call import Call
from engine.api.hosting import Host
from engine.registry.refusals import refused
from engine.results import GoalSaid, GoalsListed, Lifted, Refused, WaitSet
from engine.spec import Caller, GoalSpec, WaitSpec


class LocalGoals:
    """See `GoalApi`."""

    def __init__(self, host: Host, caller: Caller) -> None:
        self._host = host
        self._caller = caller

    def wait_for(self, spec: WaitSpec) -> Call[WaitSet | Refused]:
        """See `GoalApi`."""

        def begin() -> WaitSet | Refused:
            found = self._host.barriers.set(self._caller, spec)
            return found if isinstance(found, Refused) else WaitSet(status="waiting", barrier=found.view)

        return self._host.call("wait_for", begin)

    def lift(self, barrier_id: str) -> Call[Lifted]:
        """See `GoalApi`."""
        return self._host.call(
            "lift", lambda: Lifted(status="ok", lifted=self._host.barriers.lift(self._caller, barrier_id))
        )

    def goal_start(self, spec: GoalSpec) -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""
        return self._host.call("goal_start", lambda: refused("goal_start", "goals are being built"))

    def goal_status(self, goal_id: str = "") -> Call[GoalsListed | Refused]:
        """See `GoalApi`."""
        return self._host.call("goal_status", lambda: GoalsListed(goals=()))

    def goal_wait(self, goal_id: str, spec: WaitSpec) -> Call[WaitSet | Refused]:
        """See `GoalApi`."""
        return self._host.call("goal_wait", lambda: refused("goal_wait", "goals are being built"))

    def goal_unwait(self, goal_id: str) -> Call[Lifted | Refused]:
        """See `GoalApi`."""
        return self._host.call("goal_unwait", lambda: refused("goal_unwait", "goals are being built"))

    def goal_pause(self, goal_id: str, reason: str = "") -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""
        return self._host.call("goal_pause", lambda: refused("goal_pause", "goals are being built"))

    def goal_resume(self, goal_id: str) -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""
        return self._host.call("goal_resume", lambda: refused("goal_resume", "goals are being built"))

    def goal_clear(self, goal_id: str) -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""
        return self._host.call("goal_clear", lambda: refused("goal_clear", "goals are being built"))
