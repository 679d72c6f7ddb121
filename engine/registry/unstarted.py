"""Verbs on a job of the configuration file that has no run yet: it waits, was never started, or was called off."""

import asyncio

from engine.events import JobState, JobView
from engine.registry.job import Job
from engine.registry.keeper import Keeper
from engine.registry.refusals import not_found, refused
from engine.registry.registry import Registry
from engine.results import NOT_STARTED, JobRow, Logged, Polled, Refused, Waited
from engine.spec import Caller


def status_of(view: JobView) -> str:
    """``waiting``, ``not_started``, or ``exited`` for one that couldn't be started."""
    if view.state is JobState.STARTING:
        return "waiting"
    return "not_started" if view.completion_reason == NOT_STARTED else "exited"


def reason_of(view: JobView) -> str:
    """Why it doesn't run, in words that follow its name; empty for one that nobody has asked for."""
    return view.waits or view.start_error


def row_of(view: JobView) -> JobRow:
    """It as ``list`` tells it."""
    return JobRow(
        session_id=view.session_id,
        name=view.name,
        command=view.command,
        cwd=view.cwd,
        pid=None,
        owner_task_id=view.owner,
        started_at=view.started_at,
        uptime_seconds=0.0,
        status=status_of(view),
        output_preview="",
        watch_patterns=(),
        watch_hit=False,
        notify_on_complete=False,
        exit_code=None,
        exited_at=view.exited_at if status_of(view) == "exited" else None,
        completion_reason=view.completion_reason,
        persist_on_release=view.persist_on_release,
        detached=False,
        host=view.host,
        reason=reason_of(view),
    )


def polled(keeper: Keeper) -> Polled:
    """It as ``poll`` tells it."""
    view = keeper.view()
    return Polled(
        status=status_of(view),
        session_id=view.session_id,
        pid=None,
        uptime_seconds=0.0,
        output_preview="",
        completion_reason=view.completion_reason,
        reason=reason_of(view),
    )


def logged(keeper: Keeper) -> Logged:
    """It as ``log`` tells it."""
    view = keeper.view()
    return Logged(
        status=status_of(view),
        session_id=view.session_id,
        output="",
        total_lines=0,
        showing=f"no lines: {_stands(view)}",
        dropped_lines=0,
        dropped_chars=0,
    )


def missing(registry: Registry, caller: Caller, verb: str, session_id: str) -> Refused:
    """There is no such job, or only one that has no run, which this verb needs."""
    keeper = registry.keeper(caller, session_id)
    return not_found(verb, session_id) if keeper is None else refused(verb, _stands(keeper.view()))


async def await_run(
    keeper: Keeper, seconds: float, away: asyncio.Event, closing: asyncio.Event
) -> Job | Waited | Refused:
    """Its run, as soon as there is one; else what ``wait`` answers."""
    coming = asyncio.ensure_future(keeper.next_run())
    reasons = [coming, *(asyncio.ensure_future(event.wait()) for event in (away, closing))]
    try:
        await asyncio.wait(reasons, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for reason in reasons:
            reason.cancel()
    if coming.done() and not coming.cancelled():
        found = coming.result()
        return refused("wait", found) if isinstance(found, str) else found
    view = keeper.view()
    interrupted = away.is_set() or closing.is_set()
    note = f"{_stands(view)} after {seconds:g} s of waiting; this is no error: wait again, or see to what it waits for"
    return Waited(
        status="interrupted" if interrupted else "timeout",
        session_id=view.session_id,
        output="",
        process_running=False,
        timeout_note=None if interrupted else note,
    )


def _stands(view: JobView) -> str:
    name = view.name or view.session_id
    match status_of(view):
        case "waiting":
            return f"{name} has not started: it {view.waits}"
        case "not_started":
            return f"{name} is not started" + (f": it {view.waits}" if view.waits else "; restart starts it")
    return f"{name} could not be started: {view.start_error}"
