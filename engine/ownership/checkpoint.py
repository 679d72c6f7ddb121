"""The checkpoint: what every engine of this home runs just now, for whoever has to see to it when one dies (spec 3.5).

Blocks: for the writer thread or one aside, not for the engine's loop.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from engine.ownership.held import Held
from engine.ownership.ledger import Row, boot_id
from engine.place import Place
from engine.process.identity import Identity, is_alive
from engine.store.files import FileTrouble, read_or_set_aside, remove, write_whole
from engine.store.home import private_folder
from engine.store.lock import FileLock
from engine.store.writer import Busy

NOBODY = 0
"""The owner of what an engine has let go of as it ended."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A job that hasn't ended, without its output. Redacted; of its environment there are the names alone."""

    session_id: str
    owner_pid: int
    owner_started_at: float
    """As the kernel tells it of this pid (`Identity`), in this ``boot``."""
    boot: str
    pid: int
    host_start_time: float
    command: str
    name: str
    cwd: str
    started_at: float
    owner_task_id: str = ""
    slot: str = ""
    tags: tuple[str, ...] = ()
    group: str = ""
    goal_id: str = ""
    goal_part: str = ""
    batch_id: str = ""
    replaces: str = ""
    env_names: tuple[str, ...] = ()
    pty: bool = False
    cols: int = 0
    rows: int = 0
    stdin: str = "null"
    through_shell: bool = True
    notify_on_complete: bool = False
    watch_patterns: tuple[str, ...] = ()
    heartbeat_seconds: float = 0.0
    persist_on_release: bool = False
    held: Held | None = None
    """Where its holder is found again."""
    host: str = ""
    """Where it runs, if not here; its process here is the link to that host."""
    place: Place | None = None
    """Where on that host."""
    scope: str = ""
    """The systemd scope it runs in."""
    scope_only: bool = False
    """Its end is told; what is left of it is its scope, which couldn't be stopped."""

    @property
    def identity(self) -> Identity:
        """The job's direct child."""
        return Identity(self.pid, self.host_start_time)

    @property
    def orphaned(self) -> bool:
        """Has its engine died, or let go of it?"""
        if self.owner_pid == NOBODY or self.boot != boot_id():
            return True
        return not is_alive(Identity(self.owner_pid, self.owner_started_at))

    @property
    def runs(self) -> bool:
        """Does its direct child still run, and is it that very process?"""
        return self.boot == boot_id() and self.pid > 1 and is_alive(self.identity)


class _File(msgspec.Struct):
    entries: tuple[Entry, ...] = ()
    version: int = 1


class Checkpoint:
    """``processes.json`` of a home; each access is one read-modify-write under a lock over processes."""

    def __init__(self, home: Path, report: FileTrouble) -> None:
        self._home = home
        self.path = home / "processes.json"
        self._report = report

    @property
    def exists(self) -> bool:
        """Does any engine run something, or has one died with something running?"""
        return self.path.exists()

    def put(self, entries: Collection[Entry], gone: Collection[str]) -> None:
        """Put these in, in place of older ones of the same jobs, and take out those of ``gone``; others' stay.

        Raises:
            Busy: Another process has the lock.
            OSError: It can't be read or written.
        """

        def change(before: tuple[Entry, ...]) -> Sequence[Entry]:
            ours = {entry.session_id for entry in entries}
            return [*(one for one in before if one.session_id not in ours and one.session_id not in gone), *entries]

        self._change(change, 0.0)

    def claim(
        self, owner: Identity, started: Callable[[], tuple[Sequence[Row], Sequence[Held]]], wait: float
    ) -> list[Entry]:
        """Take over every job whose engine is dead, in one step, so that no other engine does: they are ours now.

        Args:
            owner: Us.
            started: The ledger's rows, and whom a holder has: a job whose engine died before it came in here is among
                them. Asked under the lock: who sees to a job settles its row before its entry goes, so an older answer
                could name one that is seen to.
            wait: Seconds, for the lock.

        Raises:
            Busy: Another process has the lock.
            OSError: It can't be read or written; nothing is claimed.
        """
        claimed: list[Entry] = []

        def change(before: tuple[Entry, ...]) -> Sequence[Entry]:
            rows, holders = started()
            known = {entry.session_id for entry in before}
            told = {row.session_id: row for row in rows if row.session_id}
            found = [*before, *(_from_holder(one, told) for one in holders if one.session_id not in known)]
            known.update(one.session_id for one in holders)
            found += [_from_row(row) for row in rows if _untold(row) and row.session_id not in known]
            claimed[:] = [
                msgspec.structs.replace(entry, owner_pid=owner.pid, owner_started_at=owner.start_time)
                for entry in found
                if entry.orphaned
            ]
            theirs = {entry.session_id for entry in claimed}
            return [*(one for one in found if one.session_id not in theirs), *claimed]

        self._change(change, wait)
        return claimed

    def entries(self) -> tuple[Entry, ...]:
        """What it holds.

        Raises:
            OSError: It can't be read.
        """
        found = read_or_set_aside(self.path, _parse, self._report)
        return found if found is not None else ()

    def _change(self, change: Callable[[tuple[Entry, ...]], Sequence[Entry]], wait: float) -> None:
        lock = FileLock(private_folder(self._home) / "processes.lock")
        if not lock.acquire(wait):
            raise Busy(f"{lock.path} is held by another process")
        try:
            before = self.entries()
            after = tuple(change(before))
            if not after and self.exists:
                remove(self.path)
            elif after != before:
                write_whole(self.path, msgspec.json.encode(_File(entries=after)))
        finally:
            lock.release()


def _untold(row: Row) -> bool:
    return bool(row.session_id) and not row.settled and not (row.this_boot and is_alive(row.owner))


def _from_row(row: Row) -> Entry:
    return Entry(
        session_id=row.session_id,
        owner_pid=NOBODY,
        owner_started_at=0.0,
        boot=row.boot,
        pid=row.pid,
        host_start_time=row.start_time,
        command=row.command,
        name="",
        cwd="",
        started_at=row.started_at,
        owner_task_id=row.owner_task_id,
        notify_on_complete=row.notify_on_complete,
    )


def _from_holder(held: Held, told: Mapping[str, Row]) -> Entry:
    row = told.get(held.session_id) or Row(
        pid=held.pid,
        start_time=held.start_time,
        pgid=held.pid,
        owner_pid=held.holder_pid,
        owner_start=held.holder_start,
        session_id=held.session_id,
        boot=held.boot,
    )
    return msgspec.structs.replace(_from_row(row), persist_on_release=True, held=held)


def _parse(data: bytes) -> tuple[Entry, ...]:
    try:
        return msgspec.json.decode(data, type=_File).entries
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
