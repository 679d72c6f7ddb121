"""A finished job's receipt: made from what it is at its end, off the loop, and on the disk before the end is told."""

import asyncio
import contextlib
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from engine.config import Settings
from engine.config.slots import is_slot
from engine.redact import LOOK_BACK, redact, redact_part
from engine.registry.completing import once_told
from engine.registry.job import End, Job
from engine.registry.registry import Registry
from engine.store.files import storable

if TYPE_CHECKING:
    from engine.store.receipts import Receipt

_LONGEST_LINE = 65_536
"""An output may begin inside a line that is longer than this, rather than leave all of it out."""


async def record(registry: Registry, job: Job, end: End) -> None:
    """Have the receipt written; wait for it, but not long for a disk that hangs or is full."""
    written = _write(registry, job, end)
    waiting = asyncio.wrap_future(written, loop=registry.loop)
    await asyncio.wait([waiting], timeout=registry.settings.receipt_wait_seconds)
    if waiting.done() and waiting.exception() is None:
        _written(registry, job)
        return
    job.receipt_pending = not job.receipt
    if job.receipt_pending:
        for given_up in registry.retained.pending(job, answers=waiting.done()):
            given_up.receipt_pending = False
            registry.checkpoint.drop(given_up.session_id)
    with contextlib.suppress(asyncio.CancelledError):
        waiting.add_done_callback(lambda late: late.cancelled() or late.exception())  # it is told by the writer


def _write(registry: Registry, job: Job, end: End) -> "Future[None]":
    make = receipt_of(job, end, registry.settings)
    retained = registry.retained

    def written() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            registry.loop.call_soon_threadsafe(_written, registry, job)

    return registry.writer.perform(retained.folder.path(job.session_id), lambda: retained.write(make()), written)


def _written(registry: Registry, job: Job) -> None:
    late, job.receipt_pending = job.receipt_pending, False
    job.receipt = str(registry.retained.folder.path(job.session_id))
    registry.retained.written(job)
    if late:
        registry.changed(job)
        strike(registry, job)
    collect(registry, job)


def strike(registry: Registry, job: Job) -> None:
    """Take a job that has ended out of the checkpoint, if its receipt is written and nobody is to be told any more."""
    if job.completion.settled and not (job.receipt_pending or job.foreground):
        registry.checkpoint.drop(job.session_id)


def collect(registry: Registry, job: Job) -> None:
    """Its end is told and on the disk: whoever held it may let go of it."""
    link = job.link
    if link is None or not (job.finished and job.receipt):
        return

    def let_go() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            registry.loop.call_soon_threadsafe(link.collected)

    once_told(registry, job, let_go)


def receipt_of(job: Job, end: End, settings: Settings) -> "Callable[[], Receipt]":
    """What makes the receipt, on another thread: masking long texts takes tens of milliseconds.

    All of the job is taken now; the output is shared, not copied.
    """
    from engine.store.receipts import Receipt

    buffer = job.stream.buffer
    start = max(buffer.start, buffer.end - settings.max_output_chars)
    before = tuple(buffer.pieces(max(buffer.start, start - LOOK_BACK), start))
    pieces = tuple(buffer.pieces(start))
    total, line_feeds, reveals = buffer.end, buffer.line_feeds, job.reveals
    raw = job.raw_exit_code if job.raw_exit_code != end.exit_code else None
    rest = Receipt(
        id=job.session_id,
        command=storable(job.command),
        name=storable(job.name),
        cwd=storable(job.cwd),
        task_id=job.goal_id or job.spec.group or job.owner.owner,
        owner_task_id=job.owner.owner,
        parent_session_id=job.replaces,
        slot=job.slot if is_slot(job.slot) else "",
        started_at=job.started_at,
        exited_at=job.exited_at or job.started_at,
        exit_code=end.exit_code,
        completion_reason=end.completion_reason,
        termination_source=end.termination_source,
        notify_on_complete=job.notify_on_complete,
        output="",
        total_output_chars=total,
        raw_exit_code=raw,
        start_error=storable(redact(job.start_error)),
        through_shell=job.through_shell or bool(job.start_error),
        pty=job.spec.pty,
        cols=job.cols,
        rows=job.rows,
        tags=tuple(storable(tag) for tag in job.spec.tags),
        group=storable(job.spec.group),
        goal_id=job.goal_id,
        goal_part=job.goal_part,
        persist_on_release=job.persist_on_release,
        host=storable(job.spec.host),
        place=job.far.place if job.far is not None and job.far.may_live else None,
    )
    return lambda: with_output(rest, "".join(before), "".join(pieces), line_feeds, reveals, settings.max_output_chars)


def with_output(rest: "Receipt", before: str, part: str, line_feeds: int, reveals: bool, most: int) -> "Receipt":
    """The receipt with the output ``part``, redacted. Before it there was ``before``, and with it so many lines."""
    import msgspec

    start = rest.total_output_chars - len(part)
    if start and not before.endswith("\n"):
        line = part.find("\n", 0, _LONGEST_LINE) + 1
        before, part, start = before + part[:line], part[line:], start + line
    output = redact_part(before[-LOOK_BACK:], part, assignments=reveals).text[-most:]
    return msgspec.structs.replace(
        rest, output=output, output_from=start, lines_before=line_feeds - part.count("\n") if start else 0
    )
