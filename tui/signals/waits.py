"""What is waited for: goals, barriers, and those that were released a while ago."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from engine.events import BarrierReleased, BarrierSet, Event, GoalChanged, JobView, Resync, Snapshot
from engine.waiting import BarrierView, GoalView, Release

HISTORY_ROWS = 20
HISTORY_SECONDS = 1_800.0
"""How long a released wait and a goal that is done can still be read."""


class Released(NamedTuple):
    """A barrier that is no more."""

    barrier: BarrierView
    release: Release
    at: float


Item = GoalView | BarrierView | Released
"""One entry of the panel."""


def key_of(item: Item) -> str:
    """What an entry is known by, the same after it was released."""
    match item:
        case GoalView():
            return item.goal_id
        case Released():
            return item.barrier.barrier_id
    return item.barrier_id


class Waits:
    """Goals and barriers by id. A goal's barrier is shown with its goal."""

    def __init__(self) -> None:
        self._barriers: dict[str, BarrierView] = {}
        self._goals: dict[str, GoalView] = {}
        self._released: list[Released] = []
        self._done_at: dict[str, float] = {}

    def apply(self, events: Sequence[Event]) -> bool:
        """Take in what the engine said. True: something is otherwise than before."""
        changed = False
        for event in events:
            match event:
                case Snapshot(barriers=barriers, goals=goals) | Resync(barriers=barriers, goals=goals):
                    self._barriers = {barrier.barrier_id: barrier for barrier in barriers}
                    self._goals = {goal.goal_id: goal for goal in goals if goal.status != "cleared"}
                case BarrierSet(barrier=barrier):
                    self._barriers[barrier.barrier_id] = barrier
                case BarrierReleased(barrier=barrier, release=release, at=at):
                    self._barriers.pop(barrier.barrier_id, None)
                    # That its goal goes on is told by the goal itself.
                    if not barrier.goal_id and release.outcome != "replaced":
                        self._released.append(Released(barrier, release, at))
                case GoalChanged(goal=goal, at=at):
                    self._put_goal(goal, at)
                case _:
                    continue
            changed = True
        return self._forget_old() or changed

    def _put_goal(self, goal: GoalView, at: float) -> None:
        if goal.status == "cleared":
            self._goals.pop(goal.goal_id, None)
            self._done_at.pop(goal.goal_id, None)
            return
        self._goals[goal.goal_id] = goal
        if goal.status == "done":
            self._done_at.setdefault(goal.goal_id, at)

    def _forget_old(self) -> bool:
        oldest = time.time() - HISTORY_SECONDS
        kept = [past for past in self._released if past.at >= oldest][-HISTORY_ROWS:]
        forgot = len(kept) < len(self._released)
        self._released = kept
        return forgot

    # What there is

    def items(self) -> list[Item]:
        """What is parked first, then goals at work, then the past, newest first."""
        goals = sorted(self._goals.values(), key=lambda goal: goal.created_at)
        parked = [goal for goal in goals if goal.status == "active" and self.barrier_of(goal) is not None]
        standing = sorted(self.standing(), key=_since)
        at_work = [goal for goal in goals if goal.status == "active" and self.barrier_of(goal) is None]
        idle = [goal for goal in goals if goal.status not in ("active", "done")]
        done = [goal for goal in goals if goal.status == "done"]
        return [*parked, *standing, *at_work, *idle, *done, *reversed(self._released)]

    def get(self, key: str) -> Item | None:
        """The entry of this id."""
        if key in self._goals:
            return self._goals[key]
        if key in self._barriers:
            return self._barriers[key]
        return next((past for past in self._released if past.barrier.barrier_id == key), None)

    def goals(self) -> list[GoalView]:
        """All goals that aren't done, oldest first."""
        goals = (goal for goal in self._goals.values() if goal.status != "done")
        return sorted(goals, key=lambda goal: goal.created_at)

    def goal(self, goal_id: str) -> GoalView | None:
        """The goal of this id."""
        return self._goals.get(goal_id)

    def barrier_of(self, goal: GoalView) -> BarrierView | None:
        """What parks a goal. The newest word wins: a barrier comes in an event of its own as well."""
        own = next((barrier for barrier in self._barriers.values() if barrier.goal_id == goal.goal_id), None)
        return own or goal.barrier

    def standing(self) -> list[BarrierView]:
        """Barriers without a goal."""
        return [barrier for barrier in self._barriers.values() if not barrier.goal_id]

    def parked(self) -> list[BarrierView]:
        """Everything that is waited for now."""
        goals = (self.barrier_of(goal) for goal in self._goals.values() if goal.status == "active")
        return [*self.standing(), *(barrier for barrier in goals if barrier is not None)]

    def waiting_on(self, session_id: str) -> list[BarrierView]:
        """What waits for this job."""
        return [barrier for barrier in self.parked() if barrier.session_id == session_id]

    def who_waits(self, session_id: str) -> list[str]:
        """In words, who or what waits for this job."""
        return [self._waiter(barrier) for barrier in self.waiting_on(session_id)]

    def _waiter(self, barrier: BarrierView) -> str:
        goal = self._goals.get(barrier.goal_id)
        return f"goal “{goal.goal}”" if goal is not None else barrier.then or barrier.reason or "a wait"

    def parks(self, job: JobView) -> BarrierView | None:
        """What the goal waits for whose newest step this job is; None for any other job."""
        goal = self._goals.get(job.goal_id) if job.goal_id else None
        if goal is None or not goal.turns or goal.turns[-1].session_id != job.session_id:
            return None
        return self.parked_by(goal.goal_id)

    def parked_by(self, goal_id: str) -> BarrierView | None:
        """What parks the goal of this id, if anything does."""
        goal = self._goals.get(goal_id) if goal_id else None
        return self.barrier_of(goal) if goal is not None and goal.status == "active" else None

    def __len__(self) -> int:
        return len(self._goals) + len(self.standing()) + len(self._released)


def _since(barrier: BarrierView) -> float:
    return barrier.since
