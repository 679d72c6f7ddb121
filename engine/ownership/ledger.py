"""The spawn ledger: a row for each child that an engine of this home has started and that may still run (spec 3.3).

Every access is one read-modify-write under a lock over processes. The file isn't synced to the disk: what it tells of
ends with the machine, and rows of an earlier boot count for nothing.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.process.identity import LINUX, Identity
from engine.store.files import read_whole, write_whole
from engine.store.home import private_folder
from engine.store.lock import FileLock


class Row(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A child, leader of a group and session of its own."""

    pid: int
    start_time: float
    pgid: int
    owner_pid: int
    owner_start: float
    session_id: str = ""
    command: str = ""
    """Redacted."""
    boot: str = ""
    started_at: float = 0.0
    owner_task_id: str = ""
    notify_on_complete: bool = False
    settled: bool = False
    """Nobody need ask what became of the job: its end is recorded, or seen by who runs it in the foreground."""

    @property
    def key(self) -> tuple[int, float, str]:
        """Which child it is about."""
        return (self.pid, self.start_time, self.boot)

    @property
    def identity(self) -> Identity:
        """The child."""
        return Identity(self.pid, self.start_time)

    @property
    def owner(self) -> Identity:
        """The process whose engine started it."""
        return Identity(self.owner_pid, self.owner_start)

    @property
    def this_boot(self) -> bool:
        """Was it started since the machine was?"""
        return self.boot == boot_id()


class About(NamedTuple):
    """What a row tells of its child beside who it is."""

    session_id: str
    command: str
    """Redacted."""
    started_at: float = 0.0
    owner_task_id: str = ""
    notify_on_complete: bool = False
    settled: bool = False
    """See `Row.settled`."""


class _File(msgspec.Struct):
    rows: tuple[Row, ...] = ()
    version: int = 1


Change = Callable[[tuple[Row, ...]], Sequence[Row]]


class Ledger:
    """``ledger.json`` in a home. Blocks: not for the engine's loop."""

    def __init__(self, home: Path, report: Callable[[str], object]) -> None:
        self._home = home
        self._path = home / "ledger.json"
        self._report = report

    @property
    def exists(self) -> bool:
        """Has anything ever been started from this home?"""
        return self._path.exists()

    def rows(self) -> tuple[Row, ...]:
        """What it holds.

        Raises:
            OSError: It can't be read.
        """
        found = read_whole(self._path, _parse, self._report)
        return found if found is not None else ()

    def change(self, change: Change, wait: float) -> bool:
        """Replace the rows by what ``change`` makes of them; False if another process keeps the lock for so long.

        Raises:
            OSError: It can't be read or written.
        """
        lock = FileLock(private_folder(self._home) / "ledger.lock")
        if not lock.acquire(wait):
            return False
        try:
            before = self.rows()
            after = tuple(change(before))
            if after != before:
                write_whole(self._path, msgspec.json.encode(_File(rows=after)), durable=False)
            return True
        finally:
            lock.release()


def _parse(data: bytes) -> tuple[Row, ...]:
    try:
        return msgspec.json.decode(data, type=_File).rows
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from error


def boot_id() -> str:
    """Which run of the machine this is; empty where it doesn't say."""
    if not LINUX:
        return ""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""
