"""The turns of a goal: step, judge, verdict, one after the other (spec 2.7)."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.barriers.asking import target_of
from engine.goals import judge as judges
from engine.goals.earlier import wait_for_earlier_step
from engine.goals.judge import JudgeFailed
from engine.goals.owned import start_owned
from engine.goals.state import ACTIVE, DONE
from engine.goals.verdict import BLOCKED, CONTINUE, WAIT, UnreadableAnswer, Verdict
from engine.goals.verdict import DONE as REACHED
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.start import StartError
from engine.results import Refused
from engine.spec import JobSpec, SpecError, WaitSpec
from engine.store.leases import LeaseLost
from engine.store.state_db import StateDbTrouble

if TYPE_CHECKING:
    from engine.goals.goal import Goal

_DURABLE_SECONDS = 5.0
"""What a turn waits for the disk until it asks whether it still may go on."""
_NAME_CHARS = 24


async def run_turns(goal: "Goal", registry: Registry) -> None:
    """Loop until the goal is over, or another process's. Whatever else fails in here pauses it: an active goal always
    has a loop."""
    with suppress(LeaseLost):
        goal.pause_if(await wait_for_earlier_step(registry, goal.state))
        while not goal.over:
            await goal.may_go()
            if goal.state.turns_used >= goal.state.max_turns:
                goal.pause_if(f"the budget is used up: {goal.state.turns_used} of {goal.state.max_turns} turns")
                continue
            try:
                await _Turn(goal, registry).run()
            except LeaseLost:
                raise
            except Exception as error:  # noqa: BLE001  a goal must not stand as active with nobody to go on with it
                registry.trouble(f"a turn of the goal {goal.state.goal_id} failed", error)
                goal.pause_if(f"a turn failed inside jobdeck: {error}")


class _Turn:
    """One turn."""

    def __init__(self, goal: "Goal", registry: Registry) -> None:
        self._goal = goal
        self._state = goal.state
        self._registry = registry
        self._seen: dict[str, int] = {}
        """How far the judge has seen each job's output."""

    async def run(self) -> None:
        """From the step to what its verdict says."""
        goal, state = self._goal, self._state
        number = state.begin_turn(self._registry.clock.wall())
        await self._count()
        step = await self._run_step(number)
        if step is None:
            return
        await goal.while_still()  # who leaves ends all jobs: that says nothing of the step
        if step.completion_reason == "killed":
            goal.pause_if(f"its step was killed ({step.session_id})")
            return
        await goal.may_go()
        verdict = await self._ask(step)
        state.last_verdict, state.last_reason = verdict.verdict, verdict.reason
        state.amend_turn(verdict=verdict.verdict, reason=redact(verdict.reason))
        self._follow(verdict)
        goal.changed()

    async def _count(self) -> None:
        """Have the turn counted on the disk before anything runs: no crash makes one free, nobody runs it again."""
        while True:
            try:
                await asyncio.wait_for(asyncio.wrap_future(self._goal.changed()), _DURABLE_SECONDS)
            except (StateDbTrouble, TimeoutError):
                await self._goal.may_go()
                continue
            except OSError:
                pass  # the folder of the goals is full or gone: that stops nothing
            await self._goal.may_go()
            return

    async def _run_step(self, number: int) -> Job | None:
        goal, state = self._goal, self._state
        spec = JobSpec(
            command=state.step,
            name=f"{state.goal[:_NAME_CHARS]} #{number}",
            group=state.goal_id,
            cwd=state.cwd,
            env={**state.env, "JOBDECK_GOAL_ID": state.goal_id, "JOBDECK_GOAL_TURN": str(number)},
        )
        try:
            job = await start_owned(self._registry, goal.caller, spec, state.goal_id, "step")
        except (StartError, SpecError) as error:
            state.amend_turn(ended_at=self._registry.clock.wall(), reason=redact(str(error)))
            goal.pause_if(f"its step can't be started: {error}")
            return None
        if job.identity is not None:
            state.step_pid, state.step_started = job.identity.pid, job.identity.start_time
        state.amend_turn(session_id=job.session_id)
        goal.runs(job)
        await job.ended.wait()
        state.step_pid = state.step_started = None
        state.amend_turn(ended_at=self._registry.clock.wall(), exit_code=job.exit_code)
        goal.runs(None)
        return job

    async def _ask(self, step: Job) -> Verdict:
        """The judge's verdict; without a usable answer it is continue, and counted."""
        goal, state, registry = self._goal, self._state, self._registry
        self._seen = {job.session_id: job.stream.buffer.end for job in registry.jobs.values()}
        if state.judge == judges.EXIT_CODE:
            return judges.by_exit_code(step)
        visible = set(registry.visible(goal.caller))
        background = [job for job in registry.jobs.values() if job.session_id in visible and not job.finished]
        asked = judges.question(state, step, background)
        goal.judging = True
        goal.changed()
        try:
            verdict = await judges.ask(registry, goal.caller, state, asked, goal.runs)
        except UnreadableAnswer as error:
            await goal.while_still()
            state.consecutive_parse_failures += 1
            state.consecutive_transport_failures = 0
            return Verdict(CONTINUE, str(error))
        except JudgeFailed as error:
            await goal.while_still()
            state.consecutive_transport_failures += 1
            return Verdict(CONTINUE, str(error))
        finally:
            goal.judging = False
            goal.runs(None)
        state.consecutive_parse_failures = state.consecutive_transport_failures = 0
        return verdict

    def _follow(self, verdict: Verdict) -> None:
        """Do what the verdict says; what was paused or parked meanwhile stays so, unless all is done."""
        goal, state, settings = self._goal, self._state, self._registry.settings
        unreadable, failed = state.consecutive_parse_failures, state.consecutive_transport_failures
        if verdict.verdict == REACHED:
            goal.drop_barrier("the goal is done")
            state.status = DONE
            state.paused_reason = None
        elif state.status != ACTIVE:
            return
        elif verdict.verdict == BLOCKED:
            goal.pause_if(f"blocked: {verdict.reason}" if verdict.reason else "blocked")
        elif unreadable >= settings.judge_parse_failures:
            goal.pause_if(f"{unreadable} unreadable answers of the judge in a row: {verdict.reason}")
        elif failed >= settings.judge_transport_failures:
            goal.pause_if(f"the judge failed {failed} times in a row: {verdict.reason}")
        elif verdict.verdict == WAIT and verdict.wait is not None and not goal.parked:
            self._wait(verdict.wait)

    def _wait(self, spec: WaitSpec) -> None:
        """Park as the judge says; what can't be waited for is continue, so that nothing wedges."""
        goal, state = self._goal, self._state
        job = self._registry.find(goal.caller, spec.session_id) if spec.session_id else None
        # What the job wrote while the judge was thinking counts: the judge hasn't seen it.
        seen = self._seen.get(job.session_id, 0) if job is not None else None
        target = target_of(self._registry, goal.caller, spec, "wait", seen=seen)
        found = target if isinstance(target, Refused) else goal.park(target, spec)
        if isinstance(found, Refused):
            state.last_verdict, state.last_reason = CONTINUE, found.error
            state.amend_turn(verdict=CONTINUE, reason=redact(found.error))
