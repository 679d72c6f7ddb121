"""The verbs of waits and goals, in-process; see `GoalApi` for what each does."""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from engine.api.call import Call
from engine.api.hosting import Host
from engine.results import GoalSaid, GoalsListed, Lifted, Refused, WaitSet
from engine.spec import Caller, GoalSpec, WaitSpec

if TYPE_CHECKING:
    from engine.goals.asks import Answer

T = TypeVar("T")
_NOTHING = WaitSpec()
_FORWARDED_SECONDS = 10.0
"""How long a verb may rightly take on a goal that another process hosts: twice what is waited for its answer."""
# The rooms of goals are loaded with the first verb on one: `jobdeck run` needs none of them.


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

        async def lift() -> Lifted:
            if self._host.barriers.lift(self._caller, barrier_id):
                return Lifted(status="ok", lifted=True)
            goals = self._host.registry.goal_views(self._caller)
            parked = next((one for one in goals if one.barrier and one.barrier.barrier_id == barrier_id), None)
            if parked is None:
                return Lifted(status="ok", lifted=False)
            said = await self.goal_unwait(parked.goal_id)  # another process hosts it
            return said if isinstance(said, Lifted) else Lifted(status="ok", lifted=False)

        return self._host.call_async("lift", lift, _FORWARDED_SECONDS)

    def stand_still(self, on: bool) -> Call[bool]:
        """See `GoalApi`."""

        def do() -> bool:
            if self._caller.is_operator:
                self._host.barriers.stand_still(on)
                if self._host.registry.keepers is not None:
                    self._host.registry.keepers.stand_still(on)
            return self._caller.is_operator

        return self._host.call("stand_still", do)

    def goal_start(self, spec: GoalSpec) -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""

        async def start() -> GoalSaid | Refused:
            found = await self._host.goals.start(self._caller, spec)
            return found if isinstance(found, Refused) else GoalSaid(status="ok", goal=found)

        return self._host.call_async("goal_start", start)

    def goal_status(self, goal_id: str = "") -> Call[GoalsListed | Refused]:
        """See `GoalApi`."""

        async def status() -> GoalsListed | Refused:
            found = await self._host.goals.status(self._caller, goal_id)
            return found if isinstance(found, Refused) else GoalsListed(goals=tuple(found))

        return self._host.call_async("goal_status", status)

    def goal_wait(self, goal_id: str, spec: WaitSpec) -> Call[WaitSet | Refused]:
        """See `GoalApi`."""

        def said(answer: "Answer") -> WaitSet | Refused:
            if answer.barrier is None:
                return _refusal(answer)
            return WaitSet(status="waiting", barrier=answer.barrier)

        return self._act(goal_id, "wait", said, spec=spec)

    def goal_unwait(self, goal_id: str) -> Call[Lifted | Refused]:
        """See `GoalApi`."""

        def said(answer: "Answer") -> Lifted | Refused:
            return Lifted(status="ok", lifted=answer.lifted) if answer.status == "ok" else _refusal(answer)

        return self._act(goal_id, "unwait", said)

    def goal_pause(self, goal_id: str, reason: str = "") -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""
        return self._act(goal_id, "pause", _goal_said, reason=reason)

    def goal_resume(self, goal_id: str) -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""
        return self._act(goal_id, "resume", _goal_said)

    def goal_clear(self, goal_id: str) -> Call[GoalSaid | Refused]:
        """See `GoalApi`."""
        return self._act(goal_id, "clear", _goal_said)

    def _act(
        self,
        goal_id: str,
        verb: str,
        said: "Callable[[Answer], T | Refused]",
        *,
        reason: str = "",
        spec: WaitSpec = _NOTHING,
    ) -> Call[T | Refused]:
        async def act() -> T | Refused:
            from engine.goals.asks import Ask

            answer = await self._host.goals.act(self._caller, goal_id, Ask(verb=verb, reason=reason, spec=spec))
            return answer if isinstance(answer, Refused) else said(answer)

        return self._host.call_async(f"goal_{verb}", act, _FORWARDED_SECONDS)


def _goal_said(answer: "Answer") -> GoalSaid | Refused:
    return GoalSaid(status="ok", goal=answer.goal) if answer.goal is not None else _refusal(answer)


def _refusal(answer: "Answer") -> Refused:
    return Refused(status=answer.status, error=answer.error)
