"""The verbs that look: list, poll, wait, log (spec 1.6)."""

import asyncio

from engine.output.lines import page, window_start
from engine.registry.completing import reading
from engine.registry.job import Job
from engine.registry.recall import LISTED_COMMAND, LISTED_PREVIEW, find_anywhere, listed, retained, session_scoped
from engine.registry.refusals import not_found, refused
from engine.registry.registry import Registry
from engine.registry.tails import shown, tail
from engine.registry.unstarted import await_run, logged, polled, row_of
from engine.results import JobRow, Listed, Logged, Polled, Refused, Waited
from engine.spec import Caller

_POLL_PREVIEW = 1_000
_WAIT_TAIL = 2_000
_WAIT_TIMEOUT_TAIL = 1_000
_LOG_LINES = 200


async def list_jobs(registry: Registry, caller: Caller) -> Listed:
    """The caller's jobs, and what is retained of earlier ones, oldest first."""
    kept = await retained(registry, caller)
    rows = [_row(caller, registry.jobs[session_id]) for session_id in registry.visible(caller)]
    rows += [listed(one, caller) for session_id, one in kept.items() if session_id not in registry.jobs]
    if registry.keepers is not None and caller.is_operator:
        rows += [row_of(view) for view in registry.keepers.views()]
    return Listed(processes=tuple(sorted(rows, key=lambda row: row.started_at)))


def _row(caller: Caller, job: Job) -> JobRow:
    return JobRow(
        session_id=job.session_id,
        name=job.name,
        command=job.command[:LISTED_COMMAND],
        cwd=job.cwd,
        pid=job.pid,
        owner_task_id=job.owner.owner,
        started_at=job.started_at,
        uptime_seconds=job.uptime_seconds,
        status=_status(job),
        output_preview=tail(job, LISTED_PREVIEW)[0],
        watch_patterns=job.watching.all_patterns() if caller.is_operator else job.watching.patterns(job.owner.owner),
        watch_hit=job.watching.hits > 0,
        notify_on_complete=job.notify_on_complete,
        exit_code=job.exit_code,
        exited_at=job.exited_at if job.finished else None,
        completion_reason=job.completion_reason,
        persist_on_release=job.persist_on_release,
        detached=job.detached,
        session_scoped=session_scoped(caller, job.owner.owner),
        host=job.spec.host,
        reason=job.waits,
    )


def _status(job: Job) -> str:
    return "exited" if job.finished else "running"


async def poll(registry: Registry, caller: Caller, session_id: str, since: int | None = None) -> Polled | Refused:
    """How a job stands now; ``since`` gives what it wrote after that position."""
    if (keeper := registry.keeper(caller, session_id)) is not None:
        return polled(keeper)
    job = await find_anywhere(registry, caller, session_id)
    if job is None:
        return not_found("poll", session_id)
    if since is not None and since < 0:
        return refused("poll", f"since is a position of an earlier poll, from 0; not {since}")
    if job.finished:
        job.completion.observe(caller)
    buffer = job.stream.buffer
    new_output, position, dropped = None, None, None
    if since is not None:
        start = max(since, window_start(buffer, registry.settings.max_output_chars))
        new_output, position = shown(job, start, hold=True)
        dropped = start - since
    return Polled(
        status=_status(job),
        session_id=job.session_id,
        pid=job.pid,
        uptime_seconds=job.uptime_seconds,
        output_preview=tail(job, _POLL_PREVIEW)[0],
        new_output=new_output,
        position=position,
        dropped_chars=dropped,
        exit_code=job.exit_code if job.finished else None,
        completion_reason=job.completion_reason,
        termination_source=(job.termination_source or None) if job.finished else None,
        reason=job.waits,
    )


async def wait(
    registry: Registry,
    caller: Caller,
    session_id: str,
    timeout: float | None = None,
    away: asyncio.Event | None = None,
) -> Waited | Refused:
    """Wait for the end; a time-out is no error. ``away`` is set when the caller is called away."""
    most = registry.settings.wait_max_seconds
    seconds = min(timeout if timeout is not None else most, most)
    away = away or asyncio.Event()
    keeper = registry.keeper(caller, session_id)
    job = await find_anywhere(registry, caller, session_id) if keeper is None else None
    if job is None and keeper is None:
        return not_found("wait", session_id)
    if timeout is not None and not timeout > 0:
        return refused("wait", f"the timeout must be above 0 and at most {most:g} seconds, not {timeout:g}")
    if keeper is not None:
        began = registry.loop.time()
        found = await await_run(keeper, seconds, away, registry.closing)
        if not isinstance(found, Job):
            return found
        job, seconds = found, max(0.0, seconds - (registry.loop.time() - began))
    assert job is not None
    with reading(registry, caller, job) as saw_the_end:
        waited = await _wait(registry, job, seconds, timeout, away)
        if waited.status == "exited" and not away.is_set():
            saw_the_end()
    return waited


async def _wait(registry: Registry, job: Job, seconds: float, asked: float | None, away: asyncio.Event) -> Waited:
    if not job.finished:
        reasons = [registry.loop.create_task(event.wait()) for event in (job.ended, registry.closing, away)]
        try:
            await asyncio.wait(reasons, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for reason in reasons:
                reason.cancel()
    if job.finished:
        output, cut = tail(job, _WAIT_TAIL)
        return Waited(
            status="exited",
            session_id=job.session_id,
            output=output,
            output_cut=cut or None,
            exit_code=job.exit_code,
            completion_reason=job.completion_reason,
            termination_source=job.termination_source or None,
        )
    output, cut = tail(job, _WAIT_TIMEOUT_TAIL)
    clamped = f" (asked for {asked:g} s; {seconds:g} is the most)" if asked is not None and asked > seconds else ""
    interrupted = registry.closing.is_set() or away.is_set()
    return Waited(
        status="interrupted" if interrupted else "timeout",
        session_id=job.session_id,
        output=output,
        output_cut=cut or None,
        process_running=True,
        timeout_note=None
        if interrupted
        else (
            f"still running after {seconds:g} s of waiting{clamped}, up for {job.uptime_seconds:.0f} s; this is no "
            f"error: wait again, poll it, or read its log"
        ),
    )


async def log(
    registry: Registry,
    caller: Caller,
    session_id: str,
    offset: int | None = None,
    limit: int | None = None,
    *,
    raw: bool = False,
) -> Logged | Refused:
    """Lines by their number in the whole output; without an offset the last 200."""
    if (keeper := registry.keeper(caller, session_id)) is not None:
        return logged(keeper)
    job = await find_anywhere(registry, caller, session_id)
    if job is None:
        return not_found("log", session_id)
    if limit is not None and limit <= 0:
        return refused("log", f"limit is a number of lines from 1, not {limit}")
    if offset is not None and offset < 0:
        return refused("log", f"offset is a line number from 0, not {offset}; leave it out for the last lines")
    found = page(job.stream.buffer, registry.settings.max_output_chars, offset, limit or _LOG_LINES)
    showing = f"lines {found.first + 1}-{found.last} of {found.total}" if found.last > found.first else "no lines"
    if found.dropped_lines or found.dropped_chars:
        showing += f"; the first {found.dropped_lines} lines ({found.dropped_chars} characters) are no longer kept"
    if job.finished and found.last == found.total and (found.last > found.first or not found.total):
        with reading(registry, caller, job) as saw_the_end:
            saw_the_end()
    return Logged(
        status=_status(job),
        session_id=job.session_id,
        output=shown(job, found.start, found.end, raw=raw).text,
        total_lines=found.total,
        showing=showing,
        dropped_lines=found.dropped_lines,
        dropped_chars=found.dropped_chars,
    )
