"""A batch as it is on the disk: it outlives its engine, and its completion waits there to be delivered (spec 4.6).

``delegations/deleg_….json``, one file a batch, written by the engine that has it. What an engine leaves is taken over
by one other, under a lock.
"""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.delegation import BatchView, TaskResult
from engine.ownership.ledger import boot_id
from engine.process.identity import Identity, identify, is_alive
from engine.store.files import FileTrouble, read_or_set_aside, write_whole
from engine.store.home import private_folder
from engine.store.lock import FileLock
from engine.store.writer import Busy

_LOCK_SECONDS = 5.0


class EngineMark(msgspec.Struct, frozen=True):
    """Which engine has it; pid 0: none."""

    pid: int
    start_time: float
    boot: str

    @property
    def dead(self) -> bool:
        """Is that engine gone, or has it let go?"""
        if self.pid == 0 or self.boot != boot_id():
            return True
        return not is_alive(Identity(self.pid, self.start_time))


NOBODY = EngineMark(0, 0.0, "")


def our_mark() -> EngineMark:
    """This process."""
    ours = identify(os.getpid()) or Identity(os.getpid(), 0)
    return EngineMark(ours.pid, ours.start_time, boot_id())


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a batch."""

    batch: BatchView
    engine: EngineMark
    results: tuple[TaskResult, ...] = ()
    tells: bool = True
    """Its owner can be told after the dispatch; else who asks learns of it, and consoles are shown it."""
    delivered: bool = False
    """Its owner has the completion, or it was given up."""
    attempts: int = 0
    """How often it was handed to a receiver that went without having taken it."""
    version: int = 1

    def encode(self) -> bytes:
        """As it is in its file."""
        return msgspec.json.encode(self) + b"\n"


class Records:
    """The folder. Blocks: for the writer's thread or one aside."""

    def __init__(self, home: Path, report: FileTrouble) -> None:
        self.folder = home / "delegations"
        self._report = report

    def path(self, batch_id: str) -> Path:
        """A batch's file."""
        return self.folder / f"{batch_id}.json"

    def take_over(self, mark: EngineMark, days: float, begin: Callable[[Record], Record]) -> list[Record]:
        """All that dead engines have left, ours from now on; what was delivered so long ago is removed.

        Raises:
            OSError: The folder can't be read or written.
            Busy: Another engine is at it.
        """
        if not self.folder.is_dir():
            return []
        oldest = time.time() - days * 86_400
        lock = FileLock(private_folder(self.folder) / ".lock")
        if not lock.acquire(_LOCK_SECONDS):
            raise Busy("another engine takes over what was left")
        taken = []
        try:
            for path in sorted(self.folder.glob("deleg_*.json")):
                with suppress(FileNotFoundError):
                    record = read_or_set_aside(path, _decode, self._report)
                    if record is None or not record.engine.dead:
                        continue
                    if record.delivered and (record.batch.ended_at or record.batch.started_at) < oldest:
                        path.unlink()
                        continue
                    ours = begin(msgspec.structs.replace(record, engine=mark))
                    write_whole(path, ours.encode())
                    taken.append(ours)
        finally:
            lock.release()
        return taken


def _decode(data: bytes) -> Record:
    try:
        return msgspec.json.decode(data, type=Record)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
