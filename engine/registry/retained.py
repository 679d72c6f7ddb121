"""The receipts of this home as the engine's loop sees them: looked at off the loop, by one thread at a time."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from engine.config import Settings
from engine.process.aside import aside
from engine.store.receipts import Kept, Receipt, Receipts

_LOOK_SECONDS = 2.0
"""What a verb waits for a disk; then it answers by what is known."""


class Retained:
    """On the engine's loop alone."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, settings: Settings, home: Path, report: Callable[[str], None]
    ) -> None:
        self.folder = Receipts(home, settings.receipts_kept, settings.receipts_kept_days)
        self._loop = loop
        self._report = report
        self._known: dict[str, Kept] = {}
        self._looking: asyncio.Task[dict[str, Kept]] | None = None

    async def look(self) -> dict[str, Kept]:
        """All that are kept, the newest end first; as it was the last time if the disk doesn't answer."""
        if self._looking is None:
            self._looking = self._loop.create_task(
                aside("jobdeck-receipts", lambda: self.folder.look(time.time(), self._report))
            )
            self._looking.add_done_callback(self._looked)
        await asyncio.wait([self._looking], timeout=_LOOK_SECONDS)
        return self._known

    def _looked(self, task: "asyncio.Task[dict[str, Kept]]") -> None:
        self._looking = None
        if not task.cancelled() and task.exception() is None:
            self._known = task.result()

    async def read(self, session_id: str) -> Receipt | None:
        """One receipt, whole; None if there is none, or the disk doesn't answer."""
        reading = aside("jobdeck-receipts", lambda: self.folder.read(session_id, self._report))
        try:
            return await asyncio.wait_for(reading, _LOOK_SECONDS)
        except (OSError, TimeoutError):
            return None
