"""The end of a job: one author, one fixed order, each step even if an earlier one failed (spec 1.1)."""

import time
from collections.abc import Callable
from typing import NamedTuple

from engine.events import JobExited, JobState
from engine.process.aside import aside
from engine.process.probe import Look
from engine.process.table import Row, command_of, open_files_of
from engine.registry.completing import tell_completion
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.registry.strays import watch_strays
from engine.results import EscapedProcess


class End(NamedTuple):
    """How a job ended, as spec 1.1 names it."""

    exit_code: int | None
    completion_reason: str
    termination_source: str


def child_exited(registry: Registry, job: Job) -> None:
    """The direct child is a zombie: what follows is its end, unless a kill is its author."""
    if not job.exit_seen:
        job.exit_seen = True
        job.exited_at = time.time()
        if job.state is JobState.RUNNING:
            job.state = JobState.ENDING
        registry.background(registry.loop.create_task(_see_off(registry, job)))


async def _see_off(registry: Registry, job: Job) -> None:
    """Read what is left, name who was left behind, reap, and end the job or hand over to the kill."""
    link = job.link
    if link is None or job.identity is None or job.child_gone is None:
        return
    strays: list[Row] = []
    try:
        link.drain(registry.settings.drain_bytes)
        if job.kill is None:
            strays = left_behind(await registry.probe.look(), job)
            if strays:
                names = link.output_names()
                job.escaped = await aside("jobdeck-describe", lambda: _describe(strays, names))
            link.drain(registry.settings.drain_bytes)
    except Exception as error:  # noqa: BLE001  the end happens whatever came before it
        registry.trouble(f"what {job.session_id} left behind can't be told", error)
    try:
        raw: int | None = link.reap()
    except ChildProcessError:
        raw = None  # somebody else took its status (SIGCHLD is ignored in this process): no code is invented
    job.raw_exit_code = raw
    job.child_gone.set_result(raw)
    if job.kill is None:
        finish(registry, job, End(None, "lost", "lost") if raw is None else End(raw, "exited", ""), strays)


def left_behind(look: Look, job: Job) -> list[Row]:
    """Living processes of a job whose direct child is dead."""
    if job.identity is None:
        return []
    marked = [row.pid for row in look.marked.get(job.session_id, ())]
    return [row for row in look.table.tree(job.identity, marked=marked) if row.pid != job.identity.pid]


def _describe(rows: list[Row], output_names: set[str]) -> tuple[EscapedProcess, ...]:
    return tuple(
        EscapedProcess(row.pid, command_of(row.pid), bool(output_names & open_files_of(row.pid))) for row in rows
    )


def finish(registry: Registry, job: Job, end: End, strays: list[Row]) -> bool:
    """Record the end and carry it out; False if it has one already."""
    if job.finished:
        return False
    job.state = JobState.EXITED
    job.exited_at = job.exited_at or time.time()
    job.exit_code, job.completion_reason, job.termination_source = end
    steps: list[tuple[str, Callable[[], object]]] = [
        ("putting the job on the shelf", registry.shelve),
        ("closing the job's streams", lambda: _close_streams(job)),
        ("watching what the job left behind", lambda: watch_strays(registry, job, strays)),
        ("telling of the job's end", lambda: _tell(registry, job)),
        ("telling of the job's completion", lambda: tell_completion(registry, job)),
        ("releasing who waits for the job", job.ended.set),
    ]
    for what, step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001  each step happens even if an earlier one failed
            registry.trouble(f"{what} failed ({job.session_id})", error)
    return True


def _close_streams(job: Job) -> None:
    if job.link is not None:
        job.link.close()
    job.stream.end()


def _tell(registry: Registry, job: Job) -> None:
    registry.settled(job)
    registry.publish(lambda sequence, at: JobExited(sequence, at, job.view()))
