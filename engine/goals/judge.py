"""Asking a goal's judge: JSON in, a verdict out, within its time (spec 2.7)."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from engine.goals.owned import StdoutTap, end_within, start_owned
from engine.goals.state import GoalState
from engine.goals.verdict import CONTINUE, DONE, UnreadableAnswer, Verdict, read_verdict
from engine.process.stdin import InputRefused
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.start import StartError
from engine.registry.tails import tail
from engine.results import exit_label
from engine.spec import Caller, JobSpec, SpecError

EXIT_CODE = "exit-code"
_ANSWER_BYTES = 1_000_000
_QUESTION_BYTES = 1_000_000
_STEP_TAIL_CHARS = 8_000
_JOB_TAIL_CHARS = 1_000


class JudgeFailed(Exception):
    """The judge gave no answer: it can't be started, took too long, or failed; the text says which."""


def by_exit_code(step: Job) -> Verdict:
    """The built-in judge: a step that succeeds is the goal reached."""
    label = exit_label(step.exit_code, step.completion_reason, through_shell=step.through_shell)
    return Verdict(DONE if step.exit_code == 0 else CONTINUE, f"the step: {label}")


def question(state: GoalState, step: Job, background: Iterable[Job]) -> bytes:
    """What the judge is asked, as JSON."""
    output, cut = tail(step, _STEP_TAIL_CHARS)
    asked: dict[str, Any] = {
        "goal_id": state.goal_id,
        "goal": state.goal,
        "turn": state.turns_used,
        "max_turns": state.max_turns,
        "last_verdict": state.last_verdict,
        "last_reason": state.last_reason,
        "step": {
            "session_id": step.session_id,
            "command": step.command,
            "exit_code": step.exit_code,
            "completion_reason": step.completion_reason,
            "output": output,
            "output_cut": cut,
        },
        "background": [_row(job) for job in background],
    }
    data = msgspec.json.encode(asked)
    while len(data) > _QUESTION_BYTES and asked["background"]:
        asked["background"] = asked["background"][: len(asked["background"]) // 2]
        data = msgspec.json.encode(asked)
    return data + b"\n"


def _row(job: Job) -> dict[str, Any]:
    view = job.view()
    return {
        "session_id": job.session_id,
        "pid": job.pid,
        "name": job.name,
        "command": view.command[:200],
        "uptime": round(job.uptime_seconds, 3),
        "patterns": view.watch_patterns,
        "watch_hit": view.hits > 0,
        "notify": view.notify_on_complete,
        "tail": tail(job, _JOB_TAIL_CHARS)[0],
    }


async def ask(
    registry: Registry, caller: Caller, state: GoalState, asked: bytes, began: Callable[[Job], None]
) -> Verdict:
    """Run the judge as an owned child and read its verdict. One that answered well leaves no row on the shelf.

    Raises:
        JudgeFailed: It gave no answer.
        UnreadableAnswer: It gave one that isn't a verdict.
    """
    tap = StdoutTap(_ANSWER_BYTES)
    spec = JobSpec(
        command=state.judge,
        name=f"judge of {state.goal_id}",
        group=state.goal_id,
        cwd=state.cwd,
        env={**state.env, "JOBDECK_GOAL_ID": state.goal_id},
        stdin="pipe",
    )
    try:
        job = await start_owned(registry, caller, spec, state.goal_id, "judge", tap)
    except (StartError, SpecError) as error:
        raise JudgeFailed(f"the judge can't be started: {error}") from error
    began(job)
    _hand_in(job, asked)
    seconds = registry.settings.judge_seconds
    too_late = await end_within(registry, job, seconds)
    if too_late:
        raise JudgeFailed(f"the judge gave no answer in {seconds:g} s")
    if job.exit_code != 0:
        label = exit_label(job.exit_code, job.completion_reason, through_shell=job.through_shell)
        raise JudgeFailed(f"the judge failed: {label}")
    if tap.overflown:
        raise UnreadableAnswer(f"its answer is longer than {_ANSWER_BYTES:,} bytes")
    verdict = read_verdict(tap.data)
    registry.shelf.remove(job)
    return verdict


def _hand_in(job: Job, asked: bytes) -> None:
    stdin = job.link.stdin if job.link is not None else None
    if stdin is None:
        return
    try:
        stdin.write(asked)
    except InputRefused:
        return  # it has closed its input: it judges without it
    stdin.close()
