"""One look at all processes of the machine: who descends from whom."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from engine.process.identity import LINUX, Identity, read_stat, state_of

_LISTINGS = 4
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Row(NamedTuple):
    """A process as the kernel lists it."""

    pid: int
    parent: int
    group: int
    session: int
    state: str
    start_time: float
    cpu_seconds: float = 0.0
    """What it and those of its children that it has waited for have used."""
    rss: int = 0
    """Bytes of memory it has in use, shared ones too."""

    @property
    def identity(self) -> Identity:
        """The process's pid and start time."""
        return Identity(self.pid, self.start_time)


class Table:
    """All processes at one moment, zombies included, by pid."""

    def __init__(self, rows: dict[int, Row]) -> None:
        self.rows = rows
        self._children: dict[int, list[Row]] = {}
        for row in rows.values():
            self._children.setdefault(row.parent, []).append(row)

    def tree(self, leader: Identity | None, *, marked: Iterable[int] = ()) -> list[Row]:
        """A job's living processes, children before their parents.

        Descendants by parentage, every process in the session or process group of its ``leader``, and the ``marked``
        pids, each with its own descendants. None as leader: its number may be a stranger's by now.
        """
        roots = [*marked]
        top = self.rows.get(leader.pid) if leader is not None else None
        if leader is not None and (top is None or top.start_time == leader.start_time):
            roots.append(leader.pid)
            roots += [row.pid for row in self.rows.values() if leader.pid in (row.session, row.group)]
        seen = {row.pid: row for row in self.below(roots)}
        depth = {pid: self._depth(pid) for pid in seen}
        living = [row for row in seen.values() if row.state not in "ZX"]
        return sorted(living, key=lambda row: (row is top, -depth[row.pid]))

    def belonging(self, roots: Iterable[tuple[int, Iterable[int]]]) -> list[list[Row]]:
        """The living processes of many jobs in one pass over all.

        Each is told by its leader's pid (0: it has none) and the pids that carry its id; a process that two would
        claim is the first's.
        """
        jobs = [(leader, [*marked]) for leader, marked in roots]
        leads = {leader: place for place, (leader, _marked) in enumerate(jobs) if leader}
        starts: list[list[int]] = [[*marked, *([leader] if leader else [])] for leader, marked in jobs]
        for row in self.rows.values():
            place = leads.get(row.session, leads.get(row.group))
            if place is not None:
                starts[place].append(row.pid)
        seen: set[int] = set()
        found: list[list[Row]] = []
        for pids in starts:
            rows = [row for row in self.below(pids) if row.pid not in seen]
            seen.update(row.pid for row in rows)
            found.append([row for row in rows if row.state not in "ZX"])
        return found

    def below(self, roots: Iterable[int]) -> list[Row]:
        """These pids and all their descendants, each once."""
        seen: dict[int, Row] = {}
        waiting = [*roots]
        while waiting:
            pid = waiting.pop()
            row = self.rows.get(pid)
            if row is None or pid in seen:
                continue
            seen[pid] = row
            waiting.extend(child.pid for child in self._children.get(pid, ()))
        return [*seen.values()]

    def _depth(self, pid: int) -> int:
        depth = 0
        while (row := self.rows.get(pid)) is not None and depth < 1000:
            pid, depth = row.parent, depth + 1
        return depth


def read_row(pid: int) -> Row | None:
    """Look at one process (Linux); None when there is none."""
    fields = read_stat(pid)
    if fields is None:
        return None
    state, parent, group, session = state_of(fields), *map(int, fields[1:4])
    used = sum(map(int, fields[11:15])) / _TICKS
    return Row(pid, parent, group, session, state, int(fields[19]), used, int(fields[21]) * _PAGE)


def _linux_rows() -> Iterator[Row]:
    """List, read, and list again: one that forks and ends before it is read would take its child out of sight."""
    read: set[str] = set()
    for _round in range(_LISTINGS):
        new = [name for name in os.listdir("/proc") if name.isdigit() and name not in read]
        if not new:
            return
        read.update(new)
        for name in new:
            if row := read_row(int(name)):
                yield row


def _portable_rows() -> Iterator[Row]:
    import psutil

    for process in psutil.process_iter():
        try:
            with process.oneshot():
                state = "Z" if process.status() == psutil.STATUS_ZOMBIE else "S"
                parent, started = process.ppid(), process.create_time()
            group, session = os.getpgid(process.pid), os.getsid(process.pid)
        except (psutil.Error, ProcessLookupError, PermissionError):
            continue
        used, rss = 0.0, 0
        with contextlib.suppress(psutil.Error), process.oneshot():  # others' are not told to us
            used, rss = sum(process.cpu_times()[:4]), process.memory_info().rss
        yield Row(process.pid, parent, group, session, state, started, used, rss)


def read_table() -> Table:
    """Look at all processes now (about 20 µs each on Linux)."""
    return Table({row.pid: row for row in (_linux_rows() if LINUX else _portable_rows())})


def command_of(pid: int) -> str:
    """The command line of a process, or its short name in brackets for one without; empty when it is gone."""
    if not LINUX:
        import psutil

        try:
            return " ".join(psutil.Process(pid).cmdline())
        except psutil.Error:
            return ""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
        line = b" ".join(words).decode("utf-8", "replace").strip()
        return line or f"[{Path(f'/proc/{pid}/comm').read_text('utf-8', 'replace').strip()}]"
    except OSError:
        return ""


def open_files_of(pid: int) -> set[str]:
    """What a process has open, as the kernel names it (``pipe:[1234]``, ``/dev/pts/5`` …); empty if unreadable."""
    found = set()
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            try:
                found.add(os.readlink(entry.path))
            except OSError:
                continue
    except OSError:
        pass
    return found
