"""The receipts of this home as the engine's loop sees them: looked at off the loop, by one thread at a time."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import Settings
from engine.process.aside import aside
from engine.registry.job import Job
from engine.store.writer import Writer

if TYPE_CHECKING:
    from engine.store.receipts import Kept, Receipt, Receipts

_LOOK_SECONDS = 2.0
"""What a verb waits for a disk; then it answers by what is known."""


class Retained:
    """On the engine's loop alone."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: Settings,
        home: Path,
        writer: Writer,
        *,
        report: Callable[[str], None],
        warn: Callable[[str], None],
    ) -> None:
        self._home = home
        self._days = settings.receipts_kept_days
        self._loop = loop
        self._writer = writer
        self._most = settings.receipts_kept
        self._report = report
        self._warn = warn
        self._pending: dict[str, Job] = {}
        """Jobs whose ends were told before the disk had them, oldest first."""
        self.spared: Callable[[], Collection[str]] = tuple
        """Whose receipts must stay for now, whatever the bounds; asked on any thread."""
        self._known: dict[str, Kept] = {}
        self._looking: asyncio.Task[dict[str, Kept]] | None = None

    @cached_property
    def folder(self) -> "Receipts":
        """Where they are. Loaded when first asked for: a run in the foreground leaves none."""
        from engine.store.receipts import Receipts

        return Receipts(self._home, self._most, self._days)

    async def look(self) -> "dict[str, Kept]":
        """All that are kept, the newest end first; as it was the last time if the disk doesn't answer."""
        if self._looking is None:
            self._looking = self._loop.create_task(
                aside("jobdeck-receipts", lambda: self.folder.look(time.time(), self._report, self.spared()))
            )
            self._looking.add_done_callback(self._looked)
        await asyncio.wait([self._looking], timeout=_LOOK_SECONDS)
        return self._known

    def _looked(self, task: "asyncio.Task[dict[str, Kept]]") -> None:
        self._looking = None
        if not task.cancelled() and task.exception() is None:
            self._known = task.result()

    async def read(self, session_id: str) -> "Receipt | None":
        """One receipt, whole; None if there is none, or the disk doesn't answer."""
        reading = aside("jobdeck-receipts", lambda: self.folder.read(session_id, self._report))
        try:
            return await asyncio.wait_for(reading, _LOOK_SECONDS)
        except (OSError, TimeoutError):
            return None

    def write(self, receipt: "Receipt") -> None:
        """Put a receipt on the disk, and remove those that are above the bounds. On the writer's thread.

        Raises:
            OSError: It can't be written.
        """
        self.folder.write(receipt)
        with contextlib.suppress(OSError):  # what is there too long goes the next time
            self.folder.look(time.time(), self._report, self.spared())

    def pending(self, job: Job, *, answers: bool) -> list[Job]:
        """This one's end is told now, though its receipt isn't on the disk; ``answers``: the disk said why.

        Whose receipts are given up, because newer ones wait than are kept.
        """
        if not self._pending and not answers:
            self._warn(
                f"the disk of {self.folder.folder} gives no answer: jobs go on, and their results are kept in memory "
                "and written once it does. Look at that disk; quitting now would lose them"
            )
        self._pending[job.session_id] = job
        surplus = [*self._pending][: max(0, len(self._pending) - self._most)]
        for session_id in surplus:
            self._writer.forget(self.folder.path(session_id))
        return [self._pending.pop(session_id) for session_id in surplus]

    def written(self, job: Job) -> None:
        """Its receipt is on the disk."""
        self._pending.pop(job.session_id, None)
