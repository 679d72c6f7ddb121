"""The probe thread: walks of ``/proc`` off the engine's loop; one look serves all who asked before it began."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, TypeVar

from engine.process.aside import aside
from engine.process.marks import JobMarks
from engine.process.survey import Survey
from engine.process.table import Row, Table, read_table

T = TypeVar("T")


class Look(NamedTuple):
    """All processes at one moment, and those that carry a job's id."""

    table: Table
    marked: dict[str, list[Row]]


class Probe:
    """Takes looks, one at a time, on a thread. Used from the engine's loop alone."""

    def __init__(self) -> None:
        self._marks = JobMarks()
        self._survey = Survey(self._marks)
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[Look] | None = None

    async def look(self) -> Look:
        """A look at everybody that began after this call did.

        Raises:
            OSError: No thread or descriptor is left.
        """
        if self._next is None:
            self._next = asyncio.get_running_loop().create_task(self._look())
        return await asyncio.shield(self._next)

    async def survey(self, work: Callable[[Survey], T]) -> T:
        """What ``work`` makes of the survey, on the thread of looks.

        Raises:
            OSError: No thread or descriptor is left.
        """
        return await asyncio.shield(asyncio.get_running_loop().create_task(self._in_turn(partial(work, self._survey))))

    async def _look(self) -> Look:
        async with self._turn:
            self._next = None
            return await aside("jobdeck-probe", self._read)

    async def _in_turn(self, work: Callable[[], T]) -> T:
        async with self._turn:
            return await aside("jobdeck-probe", work)

    def _read(self) -> Look:
        table = read_table()
        return Look(table, self._marks.read(table))
