"""The verbs that look at a job's processes: usage, inspect. They walk ``/proc``, so off the loop."""

import time
from functools import partial

from engine.output.cleaning import clean
from engine.process.aside import aside
from engine.process.identity import Identity
from engine.process.meter import TreeUse
from engine.process.ports import listening
from engine.process.probe import Look
from engine.process.table import Row, command_of, open_files_of
from engine.redact import redact, redact_command
from engine.registry.job import Job
from engine.registry.refusals import not_found
from engine.registry.registry import Registry
from engine.results import Inspected, JobUse, ProcessRow, Refused, Usage
from engine.spec import Caller

_QUIET_SECONDS = 1.0
_LAST_LINE_CHARS = 1_000
_MOST_PROCESSES = 500
"""In one answer."""


async def usage(registry: Registry, caller: Caller) -> Usage:
    """What the caller's running jobs use. Two looks are at least half a second apart: who asks sooner gets the last.

    Raises:
        OSError: The processes of this machine can't be listed.
    """
    measured = await registry.metering.measure(
        {job.session_id: job.identity for job in registry.jobs.values() if not job.finished}
    )
    now = time.time()
    jobs = [registry.jobs[session_id] for session_id in registry.visible(caller)]
    rows = [_use(job, measured[job.session_id], now) for job in jobs if job.session_id in measured]
    return Usage(at=now, jobs=tuple(rows))


def _use(job: Job, tree: TreeUse, now: float) -> JobUse:
    return JobUse(
        session_id=job.session_id,
        cpu=tree.cpu,
        rss=tree.rss,
        processes=tree.processes,
        waiting=tree.idle and not tree.stopped and not job.finished and _asks(job, now),
        stopped=tree.stopped,
    )


def _asks(job: Job, now: float) -> bool:
    """Is the end of its output something that wants an answer: a line begun on a terminal, and quiet since?"""
    buffer = job.stream.buffer
    if not job.spec.pty or now - buffer.marks.newest < _QUIET_SECONDS:
        return False
    line = buffer.newest(_LAST_LINE_CHARS).rpartition("\n")[2]
    return bool(clean(line).strip())


async def inspect(registry: Registry, caller: Caller, session_id: str) -> Inspected | Refused:
    """What is behind a job: how it was started, its processes with ports and memory, how its watches stand.

    Raises:
        OSError: The processes of this machine can't be listed.
    """
    job = registry.find(caller, session_id)
    if job is None:
        return not_found("inspect", session_id)
    look = await registry.probe.look()
    names = job.link.output_names() if job.link is not None and not job.finished else set()
    leader = None if job.finished else job.identity
    strays = tuple(job.strays)
    rows = await aside("jobdeck-inspect", partial(_processes, look, job.session_id, leader, strays, names))
    return Inspected(
        status="exited" if job.finished else "running",
        session_id=job.session_id,
        command=job.command,
        cwd=job.cwd,
        env={name: _shown(name, value) for name, value in job.spec.env.items()},
        pid=job.pid,
        processes=rows,
        watches=job.watching.states(),
        notify_on_complete=job.notify_on_complete,
        heartbeat_seconds=job.watching.heartbeat_seconds,
        receipt=job.receipt,
    )


def _shown(name: str, value: str | None) -> str | None:
    if value is None:
        return None
    return redact(f"{name}={value}", assignments=True).partition("=")[2]


def _processes(
    look: Look, session_id: str, leader: Identity | None, strays: tuple[Identity, ...], names: set[str]
) -> tuple[ProcessRow, ...]:
    table = look.table
    marked = [row.pid for row in look.marked.get(session_id, ())]
    marked += [one.pid for one in strays if (row := table.rows.get(one.pid)) is not None and row.identity == one]
    rows = {row.pid: row for row in table.tree(leader, marked=marked)} if leader is not None or marked else {}
    shown: list[ProcessRow] = []

    def show(row: Row, depth: int) -> None:
        if len(shown) == _MOST_PROCESSES:
            return
        shown.append(
            ProcessRow(
                pid=row.pid,
                parent=row.parent,
                depth=depth,
                command=redact_command(command_of(row.pid)),
                state=row.state,
                cpu_seconds=row.cpu_seconds,
                rss=row.rss,
                ports=listening(row.pid),
                holds_output=bool(names and names & open_files_of(row.pid)),
            )
        )
        for below in sorted(children.get(row.pid, ()), key=lambda one: one.start_time):
            show(below, depth + 1)

    children: dict[int, list[Row]] = {}
    for row in rows.values():
        children.setdefault(row.parent, []).append(row)
    tops = [row for row in rows.values() if row.parent not in rows]
    for row in sorted(tops, key=lambda one: (leader is None or one.pid != leader.pid, one.start_time)):
        show(row, 0)
    return tuple(shown)
