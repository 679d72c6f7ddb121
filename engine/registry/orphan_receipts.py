"""Receipts of jobs whose engine died: those that are there, and those that say what little is known (spec 3.5)."""

import asyncio
import contextlib
import os

import msgspec

from engine.config.slots import is_slot
from engine.ownership.checkpoint import Entry
from engine.ownership.held import held_folder
from engine.ownership.history import History, read_left
from engine.process.aside import aside
from engine.redact import LOOK_BACK, reveals
from engine.registry.job import End
from engine.registry.recording import with_output
from engine.registry.registry import Registry
from engine.store.receipts import Receipt


class Unwritten:
    """A job that was told lost, and of whose receipt the disk gave no word yet: its entry goes after both."""

    def __init__(self, registry: Registry, session_id: str) -> None:
        self._registry = registry
        self._session_id = session_id
        self._told = False
        self.is_written = False

    def written(self) -> None:
        """The receipt is there."""
        self.is_written = True
        self._drop_if_due()

    def told(self) -> None:
        """What became of it is told."""
        self._told = True
        self._drop_if_due()

    def _drop_if_due(self) -> None:
        if self._told and self.is_written:
            self._registry.checkpoint.drop(self._session_id)


async def left_output(registry: Registry, entry: Entry) -> History | None:
    """What its holder has left of its output, if it had one."""
    if entry.held is None:
        return None
    folder = held_folder(registry.home) / entry.session_id
    try:
        return await aside("jobdeck-recover", lambda: read_left(folder, registry.settings.replay_chars))
    except OSError as error:
        registry.trouble(f"what {entry.session_id} has printed can't be read", error)
        return None


def with_what_is_left(receipt: Receipt, left: History, most: int) -> Receipt:
    """Off the loop."""
    text, start = left.text(), left.start
    known = msgspec.structs.replace(receipt, total_output_chars=start.char + len(text))
    feeds = start.feeds + text.count("\n")
    cut = max(0, len(text) - most)
    return with_output(known, text[:cut][-LOOK_BACK:], text[cut:], feeds, reveals(receipt.command), most)


def receipt_there(registry: Registry, session_id: str) -> tuple[Receipt | None, bool]:
    """It, and is there one still? Off the loop."""
    folder = registry.retained.folder
    receipt = folder.read(session_id, registry.told_by_file)
    return receipt, receipt is not None or os.path.lexists(folder.path(session_id))


def bare_receipt(entry: Entry, end: End, exited_at: float) -> Receipt:
    """What is known of its end: no more is made up."""
    return Receipt(
        id=entry.session_id,
        command=entry.command,
        name=entry.name or entry.command[:40] or entry.session_id,
        cwd=entry.cwd,
        task_id=entry.goal_id or entry.group or entry.owner_task_id,
        owner_task_id=entry.owner_task_id,
        parent_session_id=entry.replaces,
        slot=entry.slot if is_slot(entry.slot) else "",
        started_at=entry.started_at or exited_at,
        exited_at=exited_at,
        exit_code=end.exit_code,
        completion_reason=end.completion_reason,
        termination_source=end.termination_source,
        notify_on_complete=entry.notify_on_complete,
        output="",
        total_output_chars=0,
        through_shell=entry.through_shell,
        pty=entry.pty,
        cols=entry.cols,
        rows=entry.rows,
        tags=entry.tags,
        group=entry.group,
        goal_id=entry.goal_id,
        goal_part=entry.goal_part,
        persist_on_release=entry.persist_on_release,
        host=entry.host,
        place=entry.place,
    )


async def write_receipt(registry: Registry, receipt: Receipt) -> Unwritten:
    """On the disk before it is told, if the disk answers."""
    retained, unwritten = registry.retained, Unwritten(registry, receipt.id)

    def written() -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            registry.loop.call_soon_threadsafe(unwritten.written)

    future = registry.writer.perform(retained.folder.path(receipt.id), lambda: retained.write(receipt), written)
    waiting = asyncio.wrap_future(future, loop=registry.loop)
    waiting.add_done_callback(lambda done: done.cancelled() or done.exception())  # it is told by the writer
    await asyncio.wait([waiting], timeout=registry.settings.receipt_wait_seconds)
    return unwritten
