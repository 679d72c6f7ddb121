"""One goal and its loop: step, judge, and the barrier that parks both (spec 2.7)."""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from engine.barriers.asking import target_of
from engine.barriers.barrier import Barrier
from engine.barriers.barriers import Barriers
from engine.barriers.targets import PidTarget, Target
from engine.events import GoalChanged
from engine.goals import judge as judges
from engine.goals.earlier import boot_id, earlier_barrier, wait_for_earlier_step
from engine.goals.judge import JudgeFailed
from engine.goals.owned import start_owned
from engine.goals.state import ACTIVE, CLEARED, DONE, PAUSED, GoalState
from engine.goals.verdict import BLOCKED, CONTINUE, WAIT, UnreadableAnswer, Verdict
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.kill import kill
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.registry.start import StartError
from engine.results import Refused
from engine.spec import OPERATOR, Caller, JobSpec, SpecError, WaitSpec
from engine.waiting import GoalView, Release

_DURABLE_SECONDS = 5.0
"""What a turn waits for the disk; nothing stops because that is slow or full."""
_NAME_CHARS = 24

Save = Callable[[GoalState], "Future[None]"]


class Goal:
    """A goal that this engine hosts. On the engine's loop alone; ``save`` puts its state on the disk."""

    def __init__(self, registry: Registry, barriers: Barriers, state: GoalState, save: Save) -> None:
        self.state = state
        self.caller = Caller(state.owner)
        self._registry = registry
        self._barriers = barriers
        self._save = save
        self._running: Job | None = None
        self._judging = False
        self._barrier: Barrier | None = None
        self._go = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @property
    def over(self) -> bool:
        """Is there nothing more to host?"""
        return self.state.status in (DONE, CLEARED)

    def view(self) -> GoalView:
        """How it stands."""
        job = self._running
        running = "judge" if self._judging else job.session_id if job is not None else ""
        barrier = self._barrier.view if self._barrier is not None else None
        return self.state.view(running, barrier, os.getpid())

    def begin(self) -> None:
        """Host it from now on: restore the barrier that stood."""
        earlier = earlier_barrier(self.state)
        if earlier is not None and self.state.status == ACTIVE:
            target, spec, since = earlier
            self._park(target, spec, since=since)
        elif self.state.waiting:
            self.state.stop_waiting()
        self._changed()

    def loop(self) -> None:
        """Go on with its turns from now on. Safe to call twice."""
        if self._task is None and not self.over:
            self._task = self._registry.loop.create_task(self._run())
            self._registry.background(self._task)

    def leave(self) -> None:
        """The engine ends: loop no longer; the goal stays as it is, for another host."""
        if self._task is not None:
            self._task.cancel()

    # -- verbs --------------------------------------------------------------------------------------------------------

    def pause(self, reason: str) -> None:
        """No further turn, nor a judge. A goal that isn't active stays as it is."""
        if self.state.status == ACTIVE:
            self.state.status = PAUSED
            self.state.paused_reason = reason
            self._drop_barrier("the goal was paused")
            self._changed()

    def resume(self) -> Refused | None:
        """Go on. What was counted against it begins anew."""
        state = self.state
        if state.status == DONE:
            return refused("goal resume", f"{state.goal_id} is done; start a new goal")
        self._drop_barrier("the goal was resumed")
        if state.turns_used >= state.max_turns:
            state.turns_used = 0
        state.consecutive_parse_failures = state.consecutive_transport_failures = 0
        state.status = ACTIVE
        state.paused_reason = None
        self._changed()
        return None

    def clear(self) -> None:
        """Give it up: end its step and its judge."""
        self.state.status = CLEARED
        self._drop_barrier("the goal was cleared")
        if self._task is not None:
            self._task.cancel()
        job, self._running, self._judging = self._running, None, False
        if job is not None and not job.finished:
            end = kill(self._registry, OPERATOR, job.session_id, source="process.kill")
            self._registry.background(self._registry.loop.create_task(end))
        self._changed()

    def wait(self, caller: Caller, spec: WaitSpec) -> Barrier | Refused:
        """Park it."""
        if self.state.status != ACTIVE:
            return refused("goal wait", f"{self.state.goal_id} is {self.state.status}; only an active goal waits")
        if spec.then:
            return refused("goal wait", "a goal goes on by itself; 'then' is for waits without a goal")
        target = target_of(self._registry, caller, spec, "goal wait")
        return target if isinstance(target, Refused) else self._park(target, spec)

    def unwait(self) -> bool:
        """Go on without what was waited for; true, then false."""
        return self._drop_barrier("lifted")

    # -- the barrier --------------------------------------------------------------------------------------------------

    def _park(self, target: Target, spec: WaitSpec, *, since: float = 0.0) -> Barrier | Refused:
        before, self._barrier = self._barrier, None
        found = self._barriers.begin(
            target,
            self.caller,
            spec,
            verb="goal wait",
            goal_id=self.state.goal_id,
            since=since,
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
        self._changed()
        return found

    def _released(self, barrier: Barrier | Refused, _release: Release) -> None:
        if barrier is self._barrier:
            self._barrier = None
            self.state.stop_waiting()
            self._changed()

    def _drop_barrier(self, why: str) -> bool:
        return self._barrier is not None and self._barriers.end(self._barrier, "lifted", why)

    # -- the loop -----------------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        why_not = await wait_for_earlier_step(self._registry, self.state)
        if why_not:
            self.pause(why_not)
        while not self.over:
            await self._may_go()
            if self.state.turns_used >= self.state.max_turns:
                self._stop(f"the budget is used up: {self.state.turns_used} of {self.state.max_turns} turns")
                continue
            await self._turn()

    async def _may_go(self) -> None:
        """Wait while it is paused or parked."""
        while self.state.status != ACTIVE or self._barrier is not None:
            self._go.clear()
            await self._go.wait()

    async def _turn(self) -> None:
        number = self.state.begin_turn(self._registry.clock.wall())
        # Counted on the disk before anything runs: no crash makes a turn free.
        with suppress(OSError, TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(self._changed()), _DURABLE_SECONDS)
        await self._may_go()
        step = await self._run_step(number)
        if step is None:
            return
        await self._may_go()
        if step.completion_reason == "killed":
            self._stop(f"its step was killed ({step.session_id})")
            return
        seen = {job.session_id: job.stream.buffer.end for job in self._registry.jobs.values()}
        verdict = await self._ask(step)
        self.state.last_verdict, self.state.last_reason = verdict.verdict, verdict.reason
        self.state.amend_turn(verdict=verdict.verdict, reason=redact(verdict.reason))
        self._follow(verdict, seen)
        self._changed()

    async def _run_step(self, number: int) -> Job | None:
        state = self.state
        spec = JobSpec(
            command=state.step,
            name=f"{state.goal[:_NAME_CHARS]} #{number}",
            group=state.goal_id,
            cwd=state.cwd,
            env={**state.env, "JOBDECK_GOAL_ID": state.goal_id, "JOBDECK_GOAL_TURN": str(number)},
        )
        try:
            job = await start_owned(self._registry, self.caller, spec, state.goal_id)
        except (StartError, SpecError) as error:
            state.amend_turn(ended_at=self._registry.clock.wall(), reason=redact(str(error)))
            self._stop(f"its step can't be started: {error}")
            return None
        if job.identity is not None:
            state.step_pid, state.step_started = job.identity.pid, job.identity.start_time
        self._running = job
        state.amend_turn(session_id=job.session_id)
        self._changed()
        await job.ended.wait()
        self._running = None
        state.step_pid = state.step_started = None
        state.amend_turn(ended_at=self._registry.clock.wall(), exit_code=job.exit_code)
        self._changed()
        return job

    async def _ask(self, step: Job) -> Verdict:
        """The judge's verdict; without a usable answer it is continue, and counted."""
        state = self.state
        if state.judge == judges.EXIT_CODE:
            return judges.by_exit_code(step)
        visible = set(self._registry.visible(self.caller))
        background = [job for job in self._registry.jobs.values() if job.session_id in visible and not job.finished]
        self._judging = True
        self._changed()
        try:
            verdict = await judges.ask(
                self._registry, self.caller, state, judges.question(state, step, background), self._judge_began
            )
        except UnreadableAnswer as error:
            state.consecutive_parse_failures += 1
            state.consecutive_transport_failures = 0
            return Verdict(CONTINUE, str(error))
        except JudgeFailed as error:
            state.consecutive_transport_failures += 1
            return Verdict(CONTINUE, str(error))
        finally:
            self._judging = False
            self._running = None
        state.consecutive_parse_failures = state.consecutive_transport_failures = 0
        return verdict

    def _judge_began(self, job: Job) -> None:
        self._running = job

    def _follow(self, verdict: Verdict, seen: dict[str, int]) -> None:
        """Do what the verdict says; what was paused or parked meanwhile stays so, unless all is done."""
        state, settings = self.state, self._registry.settings
        if verdict.verdict == DONE:
            self._drop_barrier("the goal is done")
            state.status = DONE
            state.paused_reason = None
        elif state.status != ACTIVE:
            return
        elif verdict.verdict == BLOCKED:
            self._stop(f"blocked: {verdict.reason}" if verdict.reason else "blocked")
        elif state.consecutive_parse_failures >= settings.judge_parse_failures:
            self._stop(f"{state.consecutive_parse_failures} unreadable answers of the judge in a row: {verdict.reason}")
        elif state.consecutive_transport_failures >= settings.judge_transport_failures:
            self._stop(f"the judge failed {state.consecutive_transport_failures} times in a row: {verdict.reason}")
        elif verdict.verdict == WAIT and verdict.wait is not None and self._barrier is None:
            self._wait_as_told(verdict.wait, seen)

    def _wait_as_told(self, spec: WaitSpec, seen: dict[str, int]) -> None:
        """Park as the judge says; what can't be waited for is continue, so that nothing wedges."""
        job = self._registry.find(self.caller, spec.session_id) if spec.session_id else None
        # What the job wrote while the judge was thinking counts: the judge hasn't seen it.
        start = seen.get(job.session_id, 0) if job is not None else None
        target = target_of(self._registry, self.caller, spec, "wait", seen=start)
        found = target if isinstance(target, Refused) else self._park(target, spec)
        if isinstance(found, Refused):
            self.state.last_verdict, self.state.last_reason = CONTINUE, found.error
            self.state.amend_turn(verdict=CONTINUE, reason=redact(found.error))

    def _stop(self, why: str) -> None:
        """Pause it by itself, and tell the operator."""
        if self.state.status == ACTIVE:
            self.pause(why)
            self._registry.notice(f"goal {self.state.goal_id} is paused: {why}")

    def _changed(self) -> "Future[None]":
        """It stands otherwise: tell it, save it, and let the loop look."""
        self._go.set()
        view = self.view()
        self._registry.publish(lambda sequence, at: GoalChanged(sequence, at, view))
        return self._save(self.state)
