"""The probe thread: walks of ``/proc`` off the engine's loop; one look serves all who asked before it began."""

import asyncio
from typing import NamedTuple

from engine.process.aside import aside
from engine.process.table import JobMarks, Row, Table, read_table


class Look(NamedTuple):
    """All processes at one moment, and those that carry a job's id."""

    table: Table
    marked: dict[str, list[Row]]


class Probe:
    """Takes looks, one at a time, on a thread. Used from the engine's loop alone."""

    def __init__(self) -> None:
        self._marks = JobMarks()
        self._current: asyncio.Task[Look] | None = None
        self._next: asyncio.Task[Look] | None = None

    async def look(self) -> Look:
        """A look that began after this call did.

        Raises:
            OSError: No thread or descriptor is left.
        """
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._look_after(self._current))
        return await asyncio.shield(self._next)

    async def _look_after(self, before: asyncio.Task[Look] | None) -> Look:
        if before is not None:
            await asyncio.wait([before])
        self._current, self._next = self._next, None
        return await aside("jobdeck-probe", self._read)

    def _read(self) -> Look:
        table = read_table()
        return Look(table, self._marks.read(table))
