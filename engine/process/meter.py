"""What jobs' trees use: processor time since the last look, memory, and whether they stand still."""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.process.table import Row


class TreeUse(NamedTuple):
    """One job's tree at a look."""

    cpu: float | None
    """Of one processor, over the time since the last look (1.0: one is busy all the time); None at the first."""
    rss: int
    """Bytes; what processes share is counted in each."""
    processes: int
    idle: bool
    """Nobody in it has used the processor since the last look, nor wants to."""
    stopped: bool
    """All of it is stopped, as by Ctrl+Z or SIGSTOP."""


class Meter:
    """Compares each look with the last. One thread at a time."""

    def __init__(self) -> None:
        self._at = 0.0
        self._used: dict[str, float] = {}

    def measure(self, trees: Mapping[str, Sequence[Row]]) -> dict[str, TreeUse]:
        """What each tree uses that was read just now, by its job's id."""
        now = time.monotonic()
        passed = now - self._at
        measured: dict[str, TreeUse] = {}
        used: dict[str, float] = {}
        for session_id, rows in trees.items():
            total = used[session_id] = sum(row.cpu_seconds for row in rows)
            before = self._used.get(session_id)
            # One that ended unseen takes what it has used with it: the sum may fall.
            cpu = None if before is None or passed <= 0 else max(0.0, total - before) / passed
            states = {row.state for row in rows}
            measured[session_id] = TreeUse(
                cpu=cpu,
                rss=sum(row.rss for row in rows),
                processes=len(rows),
                idle=cpu == 0.0 and not states & {"R", "D"},
                stopped=bool(rows) and states <= {"T", "t"},
            )
        self._at, self._used = now, used
        return measured
