"""The end of a job: one author, one fixed order, each step even if an earlier one failed (spec 1.1)."""

import time
from collections.abc import Callable, Coroutine
from functools import partial

from engine.events import JobExited, JobState
from engine.registry.completing import tell_completion
from engine.registry.far_jobs import lost_words
from engine.registry.job import End, Job
from engine.registry.recording import collect, record, strike
from engine.registry.registry import Registry
from engine.registry.scoping import tell_bound
from engine.registry.strays import find_strays, watch_strays

SeeOff = Callable[[Registry, Job], Coroutine[object, object, None]]
"""Ends a job whose direct child is dead."""


def child_exited(registry: Registry, job: Job, see_off: SeeOff | None = None) -> None:
    """The direct child is dead: what follows is its end, by ``see_off``, unless a kill is its author."""
    if job.exit_seen:
        return
    job.exit_seen = True
    job.exited_at = (job.link.exited_at if job.link is not None else None) or time.time()
    if job.state is JobState.RUNNING:
        job.state = JobState.ENDING
    job.child_dead.set()
    if job.kill is None:
        registry.background(registry.loop.create_task((see_off or _see_off)(registry, job)))


async def _see_off(registry: Registry, job: Job) -> None:
    """Read what is left, name who was left behind, reap, and end the job."""
    link = job.link
    if link is None:
        return
    try:
        link.drain(registry.settings.drain_bytes)
        job.strays = await find_strays(registry, job, job.identity, link.output_names())
        link.drain(registry.settings.drain_bytes)
    except Exception as error:  # noqa: BLE001  the end happens whatever came before it
        registry.trouble(f"what {job.session_id} left behind can't be told", error)
    raw = reap(job)
    if job.far is not None and raw is None and job.far.never_ran:
        await finish(registry, job, End(None, "failed_start", "failed_start"))
        return
    await finish(registry, job, End(None, "lost", "lost") if raw is None else End(raw, "exited", ""))


def reap(job: Job) -> int | None:
    """Take the dead child's exit status: from here on its number may become somebody else's."""
    try:
        job.raw_exit_code = job.link.reap() if job.link is not None else None
    except ChildProcessError:
        job.raw_exit_code = None  # somebody else took it (SIGCHLD is ignored in this process): no code is invented
    if job.far is not None:
        link_code, job.raw_exit_code = job.raw_exit_code, job.far.exit_code
        if rest := job.far.flush():
            job.stream.feed(rest, "")
        if job.raw_exit_code is None:
            job.start_error = lost_words(job, link_code)
    return job.raw_exit_code


async def finish(registry: Registry, job: Job, end: End) -> bool:
    """Record the end and carry it out; False if it has one already. Who decides it first is its author."""
    if job.end is not None:
        return False
    job.end = end
    job.exited_at = job.exited_at or time.time()
    try:
        job.stream.seal()
        if not job.foreground:
            await record(registry, job, end)
    except Exception as error:  # noqa: BLE001  the end happens, recorded or not
        registry.trouble(f"recording the end failed ({job.session_id})", error)
    job.state = JobState.EXITED
    job.exit_code, job.completion_reason, job.termination_source = end
    steps: list[tuple[str, Callable[[], object]]] = [
        ("putting the job on the shelf", lambda: _shelve(registry, job)),
        ("closing the job's streams", lambda: _close_streams(job)),
        ("telling who was killed by the job's memory bound", lambda: tell_bound(registry, job)),
        ("marking the end in the checkpoint", lambda: _mark(registry, job)),
        ("telling of the job's end", lambda: _tell(registry, job)),
        ("telling of the job's completion", lambda: tell_completion(registry, job)),
        ("watching what the job left behind", lambda: watch_strays(registry, job)),
        ("taking the job out of the checkpoint", lambda: job.completion.when_settled(partial(strike, registry, job))),
        ("running the job's hook", lambda: registry.hooks.ended(job) if registry.hooks is not None else None),
        ("releasing who waits for the job", job.ended.set),
        ("letting go of the job's holder", lambda: collect(registry, job)),
    ]
    for what, step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001  each step happens even if an earlier one failed
            registry.trouble(f"{what} failed ({job.session_id})", error)
    return True


def _shelve(registry: Registry, job: Job) -> None:
    registry.add(job)  # one that failed to start is among the others from here on
    registry.shelf.settle()


def _close_streams(job: Job) -> None:
    if job.link is not None:
        job.link.close()
    job.stream.end()


def _mark(registry: Registry, job: Job) -> None:
    if not job.foreground:
        registry.checkpoint.ended(job.session_id)


def _tell(registry: Registry, job: Job) -> None:
    registry.views.settled(job.session_id)
    registry.publish(lambda sequence, at: JobExited(sequence, at, job.view()))
