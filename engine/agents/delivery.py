"""Batches on the disk, and their completions on the way to who dispatched them: each delivered once (spec 4.6).

A batch's record says whether its completion was delivered: it is kept until its owner has taken it (over a socket: has
said so). Whatever a dead engine left is taken over by one other: what ran has failed, what wasn't delivered is sent.
"""

import asyncio
import contextlib
import time
from concurrent.futures import Future

import msgspec

from engine.agents.record import NOBODY, Record, Records, our_mark
from engine.delegation import BatchView, ChildStatus, Handle, TaskResult
from engine.events import BatchDone
from engine.notices.letter import Letter
from engine.process.aside import aside
from engine.registry.registry import Registry
from engine.store.writer import Busy

_DURABLE_SECONDS = 2.0
"""What an end waits for the disk; then it is told all the same."""
_AGAIN_SECONDS = 1.0
_GONE = "the engine that ran it has ended"


class Delivery:
    """The records of this engine's batches. On its loop, but for what is said otherwise."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._records = Records(registry.home, registry.told_by_file)
        self._mark = our_mark()
        self._kept: dict[str, Record] = {}
        self._letters: dict[str, Letter] = {}
        self._read: set[str] = set()
        """Batches whose owner knows how they ended."""
        self._closing = False
        registry.keep_batch = self._keep

    @property
    def all(self) -> tuple[Record, ...]:
        """Of every batch that this engine has, those of dead engines too."""
        return tuple(self._kept.values())

    def find(self, batch_id: str) -> Record | None:
        """What is kept of a batch."""
        return self._kept.get(batch_id)

    async def begin(self, batch: BatchView, *, tells: bool) -> None:
        """A batch is dispatched: from here on no engine's death loses it, if the disk answers in time.

        ``tells``: its completion is to be a notice to its owner.
        """
        self._kept[batch.batch_id] = Record(batch=batch, engine=self._mark, tells=tells)
        await self._durable(self._save(batch.batch_id))

    def changed(self, batch: BatchView, results: tuple[TaskResult, ...]) -> None:
        """It stands otherwise than before; ``results`` of those children that are over."""
        record = self._kept[batch.batch_id]
        self._kept[batch.batch_id] = msgspec.structs.replace(record, batch=batch, results=results)
        self._save(batch.batch_id)

    async def end(self, batch: BatchView, results: tuple[TaskResult, ...]) -> None:
        """It is over: on the disk first, then told."""
        record = self._kept[batch.batch_id]
        ended = msgspec.structs.replace(record, batch=batch, results=results)
        self._kept[batch.batch_id] = ended
        await self._durable(self._save(batch.batch_id))
        self._tell(ended)

    def forget(self, batch_id: str) -> None:
        """Nobody needs to know of it any more."""
        del self._kept[batch_id]
        self._read.discard(batch_id)
        self._registry.writer.save(self._records.path(batch_id), None)

    def consume(self, batch_id: str) -> None:
        """Its owner knows how it ended: no notice of it any more."""
        self._read.add(batch_id)
        letter = self._letters.get(batch_id)
        if letter is not None:
            self._registry.broadcast.withdraw(letter)

    async def recover(self) -> None:
        """Take over what dead engines have left."""
        registry = self._registry
        taken: list[Record] = []
        days = registry.settings.transcript_days
        while not registry.closing.is_set():
            try:
                taken = await aside("jobdeck-batches", lambda: self._records.take_over(self._mark, days, _as_found))
                break
            except Busy:
                await asyncio.sleep(_AGAIN_SECONDS)
            except OSError as error:
                registry.trouble("batches of an earlier jobdeck can't be read", error)
                return
        for record in taken:
            if record.batch.batch_id not in self._kept:
                self._kept[record.batch.batch_id] = record
                if not record.delivered:
                    self._tell(record)

    def let_go(self) -> None:
        """The engine ends: what isn't delivered, or runs still, is for whichever comes next."""
        self._closing = True
        for batch_id, record in self._kept.items():
            self._kept[batch_id] = msgspec.structs.replace(record, engine=NOBODY)
            self._save(batch_id)

    # On their way

    def _tell(self, record: Record) -> None:
        """To its owner and to consoles; to these alone where the owner knows, or can't be told."""
        batch = record.batch

        def make(sequence: int, at: float) -> BatchDone:
            return BatchDone(sequence=sequence, at=at, batch=batch, results=record.results)

        if record.tells and batch.batch_id not in self._read:
            self._registry.notify(batch.owner, make)
        else:
            self._delivered(batch.batch_id)
            if not batch.parent:
                self._registry.publish(make)

    def _keep(self, letter: Letter) -> None:
        """A completion waits from now on to be taken."""
        if not isinstance(letter.notice, BatchDone):
            return
        batch_id = letter.notice.batch.batch_id
        record = self._kept.get(batch_id)
        if letter.taken:
            self._gone(letter)
            return
        letter.attempts = record.attempts if record is not None else 0
        self._letters[batch_id] = letter
        letter.on_gone = self._gone
        letter.on_return = self._returned

    def _gone(self, letter: Letter) -> None:
        """It was taken, or will never be. On any thread."""
        if isinstance(letter.notice, BatchDone) and not self._closing:
            batch_id = letter.notice.batch.batch_id
            self._letters.pop(batch_id, None)
            self._delivered(batch_id)

    def _delivered(self, batch_id: str) -> None:
        record = self._kept.get(batch_id)
        if record is not None:
            self._kept[batch_id] = msgspec.structs.replace(record, delivered=True)
            self._save(batch_id)

    def _returned(self, letter: Letter) -> None:
        """Who had it went without having taken it."""
        if isinstance(letter.notice, BatchDone):
            batch_id = letter.notice.batch.batch_id
            record = self._kept.get(batch_id)
            if record is not None:
                self._kept[batch_id] = msgspec.structs.replace(record, attempts=letter.attempts)
                self._save(batch_id)

    # The disk

    def _save(self, batch_id: str) -> "Future[None]":
        saving = self._registry.writer.save(self._records.path(batch_id), self._kept[batch_id].encode())
        saving.add_done_callback(lambda done: done.exception())  # the writer tells, and goes on trying
        return saving

    async def _durable(self, saving: "Future[None]") -> None:
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(saving)), _DURABLE_SECONDS)


def _as_found(record: Record) -> Record:
    """A batch whose engine is dead: what ran has failed, what came of the others counts."""
    if record.batch.status != "running":
        return record
    now = time.time()
    handles = tuple(_failed(handle, now) for handle in record.batch.handles)
    done = any(handle.status is ChildStatus.DONE for handle in handles)
    batch = msgspec.structs.replace(record.batch, handles=handles, status="done" if done else "error", ended_at=now)
    known = {result.number: result for result in record.results}
    results = tuple(known.get(number) or _result(number, handle) for number, handle in enumerate(handles, 1))
    return msgspec.structs.replace(record, batch=batch, results=results)


def _failed(handle: Handle, now: float) -> Handle:
    if handle.status.over:
        return handle
    return msgspec.structs.replace(handle, status=ChildStatus.FAILED, ended_at=now)


def _result(number: int, handle: Handle) -> TaskResult:
    return TaskResult(
        number=number,
        subagent_id=handle.subagent_id,
        session_id=handle.session_id,
        goal=handle.goal,
        status=handle.status,
        exit_code=handle.exit_code,
        error=_GONE,
        seconds=(handle.ended_at or 0.0) - (handle.started_at or handle.ended_at or 0.0),
    )
