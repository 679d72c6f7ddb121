"""One goal that is hosted here: how it stands, the verbs on it, and the barrier that parks it (spec 2.7)."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future

from engine.barriers.asking import target_of
from engine.barriers.barrier import Barrier
from engine.barriers.barriers import Barriers
from engine.barriers.targets import PidTarget, Target
from engine.events import GoalChanged
from engine.goals.earlier import boot_id, earlier_barrier
from engine.goals.state import ACTIVE, CLEARED, DONE, PAUSED, GoalState
from engine.goals.turns import run_turns
from engine.registry.job import Job
from engine.registry.kill import kill
from engine.registry.leasing import HeldLease
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.results import Refused
from engine.spec import OPERATOR, Caller, WaitSpec
from engine.store.state_db import StateDbTrouble
from engine.waiting import GoalView, Release

Save = Callable[[GoalState], "Future[None]"]


class Goal:
    """A goal that this engine hosts, by its lease. On the engine's loop alone; ``save`` puts its state on the disk."""

    def __init__(self, registry: Registry, barriers: Barriers, state: GoalState, lease: HeldLease, save: Save) -> None:
        self.state = state
        self.lease = lease
        self.caller = Caller(state.owner)
        self._registry = registry
        self._barriers = barriers
        self._save = save
        self.judging = False
        """Is the judge being asked?"""
        self.go = asyncio.Event()
        """Set whenever it stands otherwise than before."""
        self._running: Job | None = None
        self._barrier: Barrier | None = None
        self._task: asyncio.Task[None] | None = None
        self._left = False

    @property
    def over(self) -> bool:
        """Is there nothing more to host?"""
        return self.state.status in (DONE, CLEARED)

    @property
    def parked(self) -> bool:
        """Does a barrier stand?"""
        return self._barrier is not None

    def view(self) -> GoalView:
        """How it stands."""
        job = self._running
        running = "judge" if self.judging else job.session_id if job is not None else ""
        barrier = self._barrier.view if self._barrier is not None else None
        return self.state.view(running, barrier, host_pid=os.getpid(), held_up=self._registry.leases.trouble)

    def begin(self) -> None:
        """Host it from now on: restore the barrier that stood."""
        earlier = earlier_barrier(self.state)
        if earlier is not None and self.state.status == ACTIVE:
            target, spec, since = earlier
            self.park(target, spec, since=since, barrier_id=self.state.waiting_id or "")
        elif self.state.waiting:
            self.state.stop_waiting()
        self.changed()

    def loop(self) -> None:
        """Go on with its turns from now on. Safe to call twice."""
        if self._task is None and not self.over:
            self._task = self._registry.loop.create_task(run_turns(self, self._registry))
            self._registry.background(self._task)

    def leave(self) -> None:
        """The engine ends: loop no longer; the goal stays as it is, for another host."""
        self._left = True
        if self._task is not None:
            self._task.cancel()

    def lose(self) -> None:
        """Another process hosts it: whatever runs of it here is ended, and nothing of it is saved."""
        self.drop_barrier("another process goes on with the goal")
        self._end_running()
        self.leave()

    # -- verbs --------------------------------------------------------------------------------------------------------

    def pause(self, reason: str) -> Refused | None:
        """No further turn, nor a judge. One that is paused stays as it is, for the reason it was paused for."""
        if self.state.status == DONE:
            return refused("goal pause", f"{self.state.goal_id} is done; nothing of it goes on")
        if self.state.status == ACTIVE:
            self.state.status = PAUSED
            self.state.paused_reason = reason
            self.drop_barrier("the goal was paused")
            self.changed()
        return None

    def resume(self) -> Refused | None:
        """Go on. What was counted against it begins anew."""
        state = self.state
        if state.status == DONE:
            return refused("goal resume", f"{state.goal_id} is done; start a new goal")
        self.drop_barrier("the goal was resumed")
        if state.turns_used >= state.max_turns:
            state.turns_used = 0
        state.consecutive_parse_failures = state.consecutive_transport_failures = 0
        state.status = ACTIVE
        state.paused_reason = None
        self.changed()
        return None

    def clear(self) -> None:
        """Give it up: end its step and its judge."""
        self.state.status = CLEARED
        self.drop_barrier("the goal was cleared")
        self._end_running()
        self.changed()
        self.leave()

    def _end_running(self) -> None:
        job, self._running, self.judging = self._running, None, False
        if job is not None and not job.finished:
            end = kill(self._registry, OPERATOR, job.session_id, source="process.kill")
            self._registry.background(self._registry.loop.create_task(end))

    def wait(self, caller: Caller, spec: WaitSpec) -> Barrier | Refused:
        """Park it."""
        if self.state.status != ACTIVE:
            return refused("goal wait", f"{self.state.goal_id} is {self.state.status}; only an active goal waits")
        if spec.then:
            return refused("goal wait", "a goal goes on by itself; 'then' is for waits without a goal")
        target = target_of(self._registry, caller, spec, "goal wait")
        return target if isinstance(target, Refused) else self.park(target, spec)

    def unwait(self) -> bool:
        """Go on without what was waited for; true, then false."""
        return self.drop_barrier("lifted")

    # -- the barrier --------------------------------------------------------------------------------------------------

    def park(self, target: Target, spec: WaitSpec, *, since: float = 0.0, barrier_id: str = "") -> Barrier | Refused:
        """Set its one barrier; ``since`` and ``barrier_id`` are those of one that stood before, in another engine."""
        before, self._barrier = self._barrier, None
        found = self._barriers.begin(
            target,
            self.caller,
            spec,
            verb="goal wait",
            goal_id=self.state.goal_id,
            since=since,
            barrier_id=barrier_id,
            on_release=lambda release: self._released(found, release),
        )
        if isinstance(found, Refused):
            self._barrier = before
            return found
        self._barrier = found
        if before is not None:
            self._barriers.end(before, "replaced", "something else is waited for instead")
        pid_started = target.identity.start_time if isinstance(target, PidTarget) else None
        self.state.wait_for(found.view, pid_started, boot_id() if pid_started is not None else None)
        self.changed()
        return found

    def _released(self, barrier: Barrier | Refused, _release: Release) -> None:
        if barrier is self._barrier:
            self._barrier = None
            self.state.stop_waiting()
            self.changed()

    def drop_barrier(self, why: str) -> bool:
        """Wait no longer, though it hasn't happened; False if nothing was waited for."""
        return self._barrier is not None and self._barriers.end(self._barrier, "lifted", why)

    # -- its loop ------------------------------------------------------------------------------------------------------

    async def while_still(self) -> None:
        """Wait while the operator is about to leave."""
        await self._barriers.moving.wait()

    async def may_go(self) -> None:
        """Wait while it is paused or parked, while nothing moves, and until its lease is ours beyond doubt.

        Raises:
            LeaseLost: It is another's.
        """
        while True:
            await self.while_still()
            if self.state.status != ACTIVE or self.parked:
                self.go.clear()
                await self.go.wait()
            elif await self._confirmed() and self.state.status == ACTIVE and not self.parked:
                return

    async def _confirmed(self) -> bool:
        try:
            await self.lease.confirm()
        except StateDbTrouble:
            await self._registry.leases.usable()
            return False
        return self._barriers.moving.is_set()

    def runs(self, job: Job | None) -> None:
        """This is its step or its judge now; None: it has ended."""
        self._running = job
        self.changed()

    def pause_if(self, why: str) -> None:
        """Its loop can't go on, if there is a reason: pause it, and tell the operator."""
        if why and self.state.status == ACTIVE:
            self.pause(why)
            self._registry.notice(f"goal {self.state.goal_id} is paused: {why}")

    def changed(self) -> "Future[None]":
        """It stands otherwise: tell it, save it, and let the loop look. The future is done when it is on the disk."""
        if self._left:  # what its loop still tidies up is nobody's news, and its file may be another's by now
            return Future()
        self.go.set()
        self.tell()
        return self._save(self.state)

    def tell(self) -> None:
        """How it stands, to who listens."""
        view = self.view()
        self._registry.publish(lambda sequence, at: GoalChanged(sequence, at, view))
