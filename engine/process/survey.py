"""What is looked at again and again: the trees of jobs. Who is nobody's business is read once, and left alone.

A process that belongs to no job now can't become one's later: session, group and parentage only ever lead away from a
job, and the environment is that of its start. So of those only new ones are read. That a number has become another
process's is seen by the inode that the kernel lists it with; where that should not hold, by the next look at everybody.
"""

import os
import time
from collections.abc import Mapping
from typing import TypeAlias

from engine.process.identity import LINUX, Identity
from engine.process.marks import JobMarks
from engine.process.table import Row, Table, read_row, read_table

Leaders: TypeAlias = Mapping[str, Identity | None]
"""Jobs' direct children by the jobs' ids; None for one that is gone."""
_EVERYBODY_SECONDS = 30.0


def trees(table: Table, marked: Mapping[str, list[Row]], leaders: Leaders) -> dict[str, list[Row]]:
    """The living processes of each job; one that two would claim is the first's."""
    roots = []
    for session_id, leader in leaders.items():
        row = table.rows.get(leader.pid) if leader is not None else None
        ours = row is not None and leader is not None and row.start_time == leader.start_time
        roots.append((row.pid if row is not None and ours else 0, [one.pid for one in marked.get(session_id, ())]))
    return dict(zip(leaders, table.belonging(roots), strict=True))


class Survey:
    """Used by one thread at a time."""

    def __init__(self, marks: JobMarks) -> None:
        self._marks = marks
        self._known: dict[int, tuple[int, Row]] = {}
        """By pid: the inode it was listed with, and what was read of it."""
        self._again: set[int] = set()
        """Who belonged to a job at the last look."""
        self._everybody_at = float("-inf")

    def read(self, leaders: Leaders) -> dict[str, list[Row]]:
        """The living processes of each of these jobs, with figures of now.

        Raises:
            OSError: The processes of this machine can't be listed.
        """
        if not LINUX:
            table = read_table()
            return trees(table, self._marks.read(table), leaders)
        now = time.monotonic()
        if now - self._everybody_at >= _EVERYBODY_SECONDS:
            self._everybody_at = now
            self._known.clear()
        fresh = self._list()
        while True:
            table = Table({pid: row for pid, (_inode, row) in self._known.items()})
            found = trees(table, self._marks.read(table), leaders)
            theirs = {row.pid for rows in found.values() for row in rows}
            if theirs <= fresh:
                break
            # Of a job that wasn't ours at the last look: what was read of its tree is from another time.
            for pid in theirs - fresh:
                self._read(pid, self._known[pid][0])
            fresh |= theirs
        self._again = theirs
        return found

    def _list(self) -> set[int]:
        """Who there is; reads whoever is new, or has to be read again. Their pids."""
        with os.scandir("/proc") as entries:
            there = {int(entry.name): entry.inode() for entry in entries if entry.name.isdigit()}
        for pid in self._known.keys() - there.keys():
            del self._known[pid]
        fresh = set()
        for pid, inode in there.items():
            known = self._known.get(pid)
            if known is None or known[0] != inode or pid in self._again:
                self._read(pid, inode)
                fresh.add(pid)
        return fresh

    def _read(self, pid: int, inode: int) -> None:
        row = read_row(pid)
        if row is None:
            self._known.pop(pid, None)
        else:
            self._known[pid] = (inode, row)
