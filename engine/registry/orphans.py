"""Jobs of dead engines: each is claimed by one engine, and its fate found, recorded and told (spec 3.5).

Nothing is taken off the disk before what came of it is on the disk: receipt, then notices, then ledger and checkpoint.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from engine.events import Completion, Fate, Recovered
from engine.ownership.checkpoint import NOBODY, Checkpoint, Entry
from engine.ownership.held import Held
from engine.ownership.ledger import Row
from engine.process.aside import aside
from engine.registry.adopting import Outcome, find_held, forget, readopt
from engine.registry.completing import completion_of
from engine.registry.detached import adopt_detached
from engine.registry.far_jobs import end_left_there
from engine.registry.job import End
from engine.registry.leftover_scopes import stop_leftover_scopes
from engine.registry.orphan_receipts import (
    Unwritten,
    bare_receipt,
    left_output,
    receipt_there,
    with_what_is_left,
    write_receipt,
)
from engine.registry.recall import remembered
from engine.registry.recovery import supervisors_time
from engine.registry.registry import Registry
from engine.results import end_text
from engine.store.receipts import Receipt
from engine.store.writer import Busy

_AGAIN_SECONDS = 1.0
_TRIES = 5
_LOST = End(None, "lost", "lost")
_LOST_TEXT = "lost: jobdeck died while it ran, and how it ended isn't known"


async def claim(registry: Registry) -> list[Entry]:
    """Take over the notices and the jobs of dead engines, so that no other engine does."""
    undelivered = registry.undelivered
    try:
        registry.broadcast.adopt(await aside("jobdeck-recover", undelivered.fetch))
        undelivered.settle()
    except OSError as error:
        registry.trouble("notices of an earlier jobdeck can't be read", error)
    told = False
    while not registry.closing.is_set():
        try:
            claimed = await aside("jobdeck-recover", lambda: _claim(registry))
            undelivered.claimed({entry.session_id for entry in claimed})
            return claimed
        except OSError as error:
            if not (told or isinstance(error, Busy)):
                told = True
                registry.trouble(
                    "what an earlier jobdeck left running can't be taken over now; it is tried again", error
                )
            await asyncio.sleep(_AGAIN_SECONDS)
    return []


def _claim(registry: Registry) -> list[Entry]:
    """Off the loop.

    Raises:
        OSError: The checkpoint, its lock or the ledger can't be had.
    """
    checkpoint = Checkpoint(registry.home, registry.told_by_file)
    ledger, wait = registry.owned.ledger, registry.settings.ledger_wait_seconds

    def started() -> tuple[Sequence[Row], Sequence[Held]]:
        return (ledger.rows() if ledger.exists else ()), find_held()

    if not (checkpoint.exists or any(started())):
        return []
    return checkpoint.claim(registry.checkpoint.owner, started, wait)


async def recover(registry: Registry, claimed: Sequence[Entry]) -> None:
    """Find out what became of these jobs, and tell it once."""
    # A holder tells of a job of ours, too, before the checkpoint does.
    ours = {entry.session_id for entry in claimed if registry.has_started(entry.session_id)}
    for session_id in ours:
        registry.checkpoint.reclaim(session_id)
    claimed = [entry for entry in claimed if entry.session_id not in ours]
    if not claimed:
        return
    for entry in claimed:
        registry.checkpoint.put_entry(entry)
    found = await asyncio.gather(*(_see_to(registry, entry) for entry in claimed), return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            registry.trouble("a job of an earlier jobdeck can't be seen to", one)
    known = [(entry, one) for entry, one in zip(claimed, found, strict=True) if isinstance(one, _Found)]
    known.sort(key=lambda pair: pair[0].started_at)
    over = {one.fate.session_id for _entry, one in known if one.fate.over}
    over.update(entry.session_id for entry in claimed if entry.scope_only)
    over -= await stop_leftover_scopes(registry, [entry for entry in claimed if entry.session_id in over])
    settled = not over or await _settle_rows(registry, over)
    # From here on in one step: who comes after us tells what we didn't.
    for entry, one in known:
        if entry.batch_id and not entry.notify_on_complete:
            continue  # its batch's completion tells
        if one.receipt is not None and one.fate.owner and (one.fate.fate == "lost" or one.receipt.notify_on_complete):
            _tell_owner(registry, one.receipt)
    told = registry.undelivered.fates_before
    fates = tuple(one.fate for _entry, one in known if not (one.fate.over and one.fate.session_id in told))
    if fates:
        registry.notify("", lambda sequence, at: Recovered(sequence, at, fates))
    unwritten = {one.fate.session_id: one.unwritten for _entry, one in known if one.unwritten is not None}
    for session_id in over if settled else ():
        if session_id in unwritten:
            unwritten[session_id].told()
        else:
            registry.checkpoint.drop(session_id)


class _Found(NamedTuple):
    """What became of a job; ``receipt``: of one that has ended."""

    fate: Fate
    receipt: Receipt | None = None
    unwritten: Unwritten | None = None
    """It has none on the disk yet, or had none a moment ago."""


async def _see_to(registry: Registry, entry: Entry) -> _Found | None:
    end = _LOST
    exited_at: float | None = None
    if entry.scope_only:
        return None
    if entry.held is not None:
        adoption = await readopt(registry, entry.held)
        if adoption.job is not None:
            registry.checkpoint.put(adoption.job)
            job = adoption.job
            known = msgspec.structs.replace(entry, name=job.name, command=job.command, owner_task_id=job.owner.owner)
            return _Found(_fate(known, "readopted", "runs on: its holder kept all of it"))
        if adoption.outcome is Outcome.TAKEN:
            registry.checkpoint.disclaim(entry.session_id)
            return None
        if adoption.outcome is not Outcome.GONE:
            registry.checkpoint.put_entry(msgspec.structs.replace(entry, owner_pid=NOBODY, owner_started_at=0.0))
            return None  # told already; the next engine tries again
        if adoption.exit_code is not None:
            end, exited_at = End(adoption.exit_code, "exited", ""), adoption.exited_at
    receipt, there = await aside("jobdeck-recover", lambda: receipt_there(registry, entry.session_id))
    if receipt is not None:
        return await _finished(registry, entry, receipt)
    if there:
        return _Found(_fate(entry, "finished", "ended; its result is on the disk and can't be read"))
    if end is _LOST and await _lives(registry, entry):
        adopt_detached(registry, entry, await left_output(registry, entry))
        if entry.held is not None:
            await forget(registry, entry.held)
        words = "still runs, without its output and input: it can be ended, and its end will be seen"
        return _Found(_fate(entry, "detached", words))
    end_left_there(registry, entry)
    receipt = bare = bare_receipt(entry, end, exited_at or time.time())
    left = await left_output(registry, entry)
    if left is not None:
        most = registry.settings.max_output_chars
        receipt = await aside("jobdeck-recover", lambda: with_what_is_left(bare, left, most))
    unwritten = await write_receipt(registry, receipt)
    found = await _finished(registry, entry, receipt, forgets=unwritten.is_written)
    return found._replace(unwritten=unwritten)


async def _lives(registry: Registry, entry: Entry) -> bool:
    """Does it run, and will it go on? What dies with its engine is given the time that its supervisor takes."""
    if not entry.runs:
        return False
    if entry.persist_on_release:
        return True
    return not await registry.ends.ended(entry.identity, supervisors_time(registry)) and entry.runs


async def _finished(registry: Registry, entry: Entry, receipt: Receipt, *, forgets: bool = True) -> _Found:
    """It has a receipt; ``forgets``: on the disk, so that its holder need know of it no more."""
    lost = receipt.completion_reason == "lost"
    if entry.held is not None and forgets:
        await forget(registry, entry.held)
    text = end_text(
        receipt.exit_code,
        receipt.completion_reason,
        receipt.termination_source,
        through_shell=receipt.through_shell,
    )
    known = msgspec.structs.replace(
        entry, name=receipt.name, command=receipt.command, owner_task_id=receipt.owner_task_id
    )
    words = ("lost", _LOST_TEXT) if lost else ("finished", text)
    return _Found(_fate(known, *words, receipt), receipt)


def _tell_owner(registry: Registry, receipt: Receipt) -> None:
    """Once: it may know, or what the dead engine has sent is on its way already."""
    if receipt.id in registry.undelivered.told_before:
        return
    job = remembered(registry, receipt)

    def make(sequence: int, at: float) -> Completion:
        return completion_of(registry, job, sequence, at)

    registry.broadcast.send(receipt.owner_task_id, make)


def _fate(entry: Entry, fate: str, text: str, receipt: Receipt | None = None) -> Fate:
    return Fate(
        session_id=entry.session_id,
        name=entry.name or entry.command or entry.session_id,
        command=entry.command,
        owner=entry.owner_task_id,
        fate=fate,
        text=text,
        exit_code=receipt.exit_code if receipt is not None else None,
        exited_at=receipt.exited_at if receipt is not None else None,
    )


async def _settle_rows(registry: Registry, over: set[str]) -> bool:
    """Nobody need ask the ledger for these any more. False: it can't be changed, and the next engine asks again."""
    ledger = registry.owned.ledger

    def settled(rows: Sequence[Row]) -> list[Row]:
        return [msgspec.structs.replace(row, settled=True) if row.session_id in over else row for row in rows]

    for _ in range(_TRIES):
        try:
            if not ledger.exists or await aside(
                "jobdeck-recover", lambda: ledger.change(settled, registry.settings.ledger_wait_seconds)
            ):
                return True
        except OSError as error:
            registry.trouble("the ledger of started processes can't be written", error)
        await asyncio.sleep(_AGAIN_SECONDS)
    return False
