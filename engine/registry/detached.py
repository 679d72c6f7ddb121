"""Jobs that run though engine and supervisor, or the holder, are dead: taken over without their streams (spec 3.5)."""

import time
from functools import partial

from engine.events import JobStarted, JobState
from engine.output.stream import OutputStream
from engine.ownership.checkpoint import Entry
from engine.ownership.history import History
from engine.ownership.ledger import About
from engine.registry.ending import child_exited, finish
from engine.registry.far_jobs import far_of
from engine.registry.job import End, Job
from engine.registry.registry import Registry
from engine.registry.scoping import found_scope
from engine.registry.strays import find_strays
from engine.registry.watching import Watching
from engine.spec import Caller, JobSpec


def adopt_detached(registry: Registry, entry: Entry, left: History | None = None) -> Job:
    """Make it a job of ours: one that can be ended, and whose end is seen. Its exit code nobody will know.

    ``left``: what its holder has left of its output.
    """
    settings = registry.settings
    spec = JobSpec(
        command=entry.command,
        name=entry.name,
        tags=entry.tags,
        group=entry.group,
        cwd=entry.cwd,
        pty=entry.pty,
        cols=entry.cols,
        rows=entry.rows,
        persist_on_release=entry.persist_on_release,
        notify_on_complete=entry.notify_on_complete,
        host=entry.host,
    )
    stream = OutputStream(
        registry.loop, settings, entry.cols or settings.pty_cols, entry.rows or settings.pty_rows, pty=entry.pty
    )
    if left is not None:
        _fill(stream, left)
    job = Job(
        entry.session_id,
        spec,
        Caller(entry.owner_task_id),
        stream,
        slot=entry.slot,
        goal_id=entry.goal_id,
        goal_part=entry.goal_part,
    )
    job.batch_id = entry.batch_id
    job.watching = Watching(registry, job)
    job.command = entry.command
    job.name = entry.name or job.name or entry.session_id
    job.detached = job.recovered = True
    job.replaces = entry.replaces
    job.only_once = (
        f"{entry.session_id} was started by a jobdeck that died, and neither its environment nor its secrets are kept "
        "on the disk: end it, and start its command anew"
    )
    job.identity = entry.identity
    job.far = far_of(registry, spec, entry.session_id, entry.place)
    job.scope = found_scope(entry.session_id, entry.pid, settings)
    job.cols, job.rows = (entry.cols, entry.rows) if entry.pty else (0, 0)
    job.started_at = entry.started_at or time.time()
    job.through_shell = entry.through_shell
    job.state = JobState.RUNNING
    registry.add(job)
    registry.checkpoint.put(job)
    if not entry.persist_on_release:
        try:
            about = About(
                job.session_id,
                job.command,
                job.started_at,
                entry.owner_task_id,
                notify_on_complete=entry.notify_on_complete,
            )
            registry.owned.adopt(entry.identity, about)
        except OSError as error:
            registry.trouble(f"{job.name} may outlive a crash of this engine, as it has outlived one", error)
    elif entry.held is not None:
        registry.owned.keep(entry.held, job.command)
    registry.publish(lambda sequence, at: JobStarted(sequence, at, job.view()))
    registry.ends.watch(entry.identity, partial(child_exited, registry, job, _see_off))
    return job


def _fill(stream: OutputStream, left: History) -> None:
    start = left.start
    if start.byte:
        stream.resume(start.char, start.feeds, start.pending, start.cols, start.rows)
    for piece in left.pieces:
        if piece.size is not None:
            stream.resized(*piece.size)
        stream.feed(piece.data, at=piece.at)


async def _see_off(registry: Registry, job: Job) -> None:
    """Its exit code is its parent's, not ours."""
    leader = job.identity if job.identity and registry.owned.owns(job.identity.pid) else None
    try:
        job.strays = await find_strays(registry, job, leader, set())
    except OSError as error:
        registry.trouble(f"what {job.session_id} left behind can't be told", error)
    await finish(registry, job, End(None, "lost", "lost"))
