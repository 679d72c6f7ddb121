"""What an earlier host of a goal left standing: its barrier, and the step it may have been in."""

import asyncio
from pathlib import Path

from engine.barriers.process_end import ProcessEnd
from engine.barriers.targets import LostTarget, PidTarget, Target, TimeTarget
from engine.goals.state import GoalState
from engine.process.identity import Identity, identify, is_alive
from engine.registry.registry import Registry
from engine.spec import WaitSpec

_STEP_GRACE_SECONDS = 10.0
"""A dead engine's supervisor ends its jobs well within this."""
_NOBODY = -1.0


def boot_id() -> str | None:
    """Which boot of the machine this is; start times mean nothing beyond it. None where that isn't known."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return None


def earlier_barrier(state: GoalState) -> tuple[Target, WaitSpec, float] | None:
    """What was waited for, on its terms, and since when: a process by its identity, a time by its deadline; a job
    went with its engine."""
    noted = state.noted_barrier()
    if noted is None:
        return None
    reason, since = noted.reason, noted.since
    if noted.kind == "time":
        return TimeTarget(state.waiting_until or 0.0), WaitSpec(reason=reason), since
    timeout = max(1.0, noted.deadline - since) if noted.deadline and since else 0.0
    spec = WaitSpec(reason=reason, timeout=timeout)
    if noted.kind == "session":
        return LostTarget(noted), spec, since
    return PidTarget(_noted_process(state, noted.pid), noted.target), spec, since


def _noted_process(state: GoalState, pid: int) -> Identity:
    """The process that was noted down; where its start time wasn't, whoever has the number now."""
    if state.waiting_boot is not None and state.waiting_boot != boot_id():
        return Identity(pid, _NOBODY)
    if state.waiting_pid_started is not None:
        return Identity(pid, state.waiting_pid_started)
    return identify(pid) or Identity(pid, _NOBODY)


async def wait_for_earlier_step(registry: Registry, state: GoalState) -> str:
    """Let a step that an earlier host started come to its end, so that no two turns run at once.

    Returns:
        Why the goal can't go on; empty if it can.
    """
    if state.turns and state.turns[-1].ended_at is None:
        state.amend_turn(ended_at=registry.clock.wall(), reason="interrupted: its engine ended")
    if state.step_pid is None or state.step_started is None:
        return ""
    step = Identity(state.step_pid, state.step_started)
    if is_alive(step):
        gone = asyncio.Event()
        watch = ProcessEnd(registry, step, gone.set)
        try:
            await asyncio.wait_for(gone.wait(), _STEP_GRACE_SECONDS)
        except TimeoutError:
            return f"the step of its last turn still runs, as pid {step.pid}; end it, then resume"
        finally:
            watch.close()
    state.step_pid = state.step_started = None
    return ""
