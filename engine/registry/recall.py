"""Results of jobs that are no longer among the engine's: read back from their receipts (spec 3.1, 1.6)."""

import time
from typing import TYPE_CHECKING

from engine.events import JobChanged, JobState
from engine.output.cleaning import clean
from engine.output.stream import OutputStream
from engine.redact import redact
from engine.registry.completing import told_before
from engine.registry.far_jobs import far_of
from engine.registry.ids import find_id
from engine.registry.job import Job
from engine.registry.refusals import not_found, refused
from engine.registry.registry import Registry
from engine.registry.watching import Watching
from engine.results import JobRow, Recalled, Refused, ResultRow, ResultsListed
from engine.spec import Caller, JobSpec

if TYPE_CHECKING:
    from engine.store.receipts import Kept, Receipt

LISTED_PREVIEW = 200
LISTED_COMMAND = 200


async def results(registry: Registry, caller: Caller) -> ResultsListed:
    """What is retained of the caller's finished jobs, the newest end first."""
    kept = await retained(registry, caller)
    return ResultsListed(results=tuple(_row(one.receipt, registry) for one in kept.values()))


async def recall(registry: Registry, caller: Caller, session_id: str, *, in_place: bool) -> Recalled | Refused:
    """Put a retained result back on the shelf."""
    job = await find_anywhere(registry, caller, session_id)
    if job is None:
        return not_found("recall", session_id)
    if not job.finished:
        return refused("recall", f"{job.session_id} still runs; there is no result of it yet")
    if job.session_id in registry.jobs:
        return Recalled(status="recalled", session_id=job.session_id)
    kept = (await registry.retained.look()).get(job.session_id) if in_place and caller.is_operator else None
    if kept is not None and kept.receipt.slot:
        newer = registry.at(kept.receipt.slot)
        if newer is not None:
            return refused("recall", f"{newer.session_id} is in its place")
        job.slot = kept.receipt.slot
    if job.session_id not in registry.jobs:  # it may have been put there meanwhile
        job.shelved_at = time.time()
        registry.add(job)
        keeper = registry.keeper(caller, job.slot)
        if keeper is not None:
            keeper.remembers(job)
        else:
            registry.publish(lambda sequence, at: JobChanged(sequence, at, job.view()))
        registry.shelf.settle()
    return Recalled(status="recalled", session_id=job.session_id)


async def retained(registry: Registry, caller: Caller) -> "dict[str, Kept]":
    """The caller's retained results by id, the newest end first."""
    known = await registry.retained.look()
    return {name: kept for name, kept in known.items() if _may_read(registry, caller, kept.receipt)}


async def find_anywhere(registry: Registry, caller: Caller, wanted: str) -> Job | None:
    """The caller's job with that id or unique prefix, on the shelf or as its receipt tells it; else None."""
    if registry.at(str(wanted).strip()) is not None:
        return registry.find(caller, wanted)
    known = await retained(registry, caller)
    found = find_id(wanted, tuple({*known, *registry.visible(caller)}))
    if found is None or found in registry.jobs:
        return registry.jobs[found] if found else None
    receipt = await registry.retained.read(found)
    return remembered(registry, receipt) if receipt is not None else None


def remembered(registry: Registry, receipt: "Receipt") -> Job:
    """A finished job made from its receipt: nothing of it runs, and it notifies nobody."""
    cols, rows = receipt.cols or registry.settings.pty_cols, receipt.rows or registry.settings.pty_rows
    spec = JobSpec(
        command=receipt.command,
        name=receipt.name,
        tags=receipt.tags,
        group=receipt.group,
        cwd=receipt.cwd,
        pty=receipt.pty,
        cols=cols,
        rows=rows,
        persist_on_release=receipt.persist_on_release,
        host=receipt.host,
    )
    stream = OutputStream(registry.loop, registry.settings, cols, rows, pty=receipt.pty)
    job = Job(
        receipt.id, spec, Caller(receipt.owner_task_id), stream, goal_id=receipt.goal_id, goal_part=receipt.goal_part
    )
    job.watching = Watching(registry, job)
    job.name, job.command = receipt.name, receipt.command
    job.recovered = True
    job.only_once = (
        f"of {job.session_id} there is only what was kept on the disk, without its environment and its secrets: "
        "start its command anew"
    )
    job.receipt = str(registry.retained.folder.path(receipt.id))
    job.cols, job.rows = (cols, rows) if receipt.pty else (0, 0)
    job.started_at, job.exited_at = receipt.started_at, receipt.exited_at
    job.exit_code, job.completion_reason = receipt.exit_code, receipt.completion_reason
    job.raw_exit_code = receipt.exit_code if receipt.raw_exit_code is None else receipt.raw_exit_code
    job.termination_source, job.start_error = receipt.termination_source, receipt.start_error
    job.through_shell = receipt.through_shell
    job.notify_on_complete = receipt.notify_on_complete
    job.persist_on_release = receipt.persist_on_release
    job.far = far_of(registry, spec, receipt.id, receipt.place)
    job.state = JobState.EXITED
    job.exit_seen = True
    stream.restore(receipt.output, receipt.output_from, receipt.lines_before)
    told_before(registry, job)
    job.ended.set()
    return job


def _may_read(registry: Registry, caller: Caller, receipt: "Receipt") -> bool:
    return caller.is_operator or registry.broadcast.postbox.proven(receipt.owner_task_id, caller)


def _row(receipt: "Receipt", registry: Registry) -> ResultRow:
    return ResultRow(
        session_id=receipt.id,
        name=receipt.name,
        command=receipt.command,
        owner_task_id=receipt.owner_task_id,
        started_at=receipt.started_at,
        exited_at=receipt.exited_at,
        exit_code=receipt.exit_code,
        completion_reason=receipt.completion_reason,
        termination_source=receipt.termination_source,
        through_shell=receipt.through_shell,
        total_output_chars=receipt.total_output_chars,
        on_shelf=receipt.id in registry.jobs,
    )


def session_scoped(caller: Caller, owner: str) -> bool:
    """Is what is this owner's the caller's by their conversation alone, which the caller continues?"""
    return not caller.is_operator and owner != caller.owner


def listed(kept: "Kept", caller: Caller) -> JobRow:
    """A retained result as ``list`` tells it."""
    receipt = kept.receipt
    return JobRow(
        session_id=receipt.id,
        name=receipt.name,
        command=receipt.command[:LISTED_COMMAND],
        cwd=receipt.cwd,
        pid=None,
        owner_task_id=receipt.owner_task_id,
        started_at=receipt.started_at,
        uptime_seconds=max(0.0, receipt.exited_at - receipt.started_at),
        status="exited",
        output_preview=redact(clean(receipt.output))[-LISTED_PREVIEW:],
        watch_patterns=(),
        watch_hit=False,
        notify_on_complete=receipt.notify_on_complete,
        exit_code=receipt.exit_code,
        exited_at=receipt.exited_at,
        completion_reason=receipt.completion_reason,
        persist_on_release=receipt.persist_on_release,
        detached=False,
        session_scoped=session_scoped(caller, receipt.owner_task_id),
        host=receipt.host,
    )
