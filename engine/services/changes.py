"""Files whose change restarts a job: one thread watches those of all jobs."""

import asyncio
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from engine.services.globs import compile_glob, root_of
from engine.store.watching import Watching

_DEBOUNCE_MS = 400
"""What changes within this time of each other is told once."""


class Changes(Watching):
    """Calls ``changed`` on the loop with a job's name and the file, for each job once however many files changed.

    Version control, caches and editors' swap files count as nothing.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        folder: Path,
        patterns: Mapping[str, tuple[str, ...]],
        changed: Callable[[str, str], object],
        failed: Callable[[str, BaseException], object],
    ) -> None:
        super().__init__(loop)
        self._changed = changed
        self._failed = failed
        self._wanted = {name: [compile_glob(one, folder) for one in ones] for name, ones in patterns.items()}
        roots = {one: root_of(one, folder) for ones in patterns.values() for one in ones}
        self.nowhere = tuple(one for one, root in roots.items() if root is None)
        """Patterns of folders that aren't there: they aren't watched."""
        self.watching = threading.Event()
        """It has begun: what changes from now on is told."""
        if watched := sorted({root for root in roots.values() if root is not None}):
            self._begin(watched, recursive=True, with_debris=False, debounce_ms=_DEBOUNCE_MS)

    def _see(self, paths: set[str]) -> None:
        self.watching.set()
        ordered = sorted(paths)
        for name, wanted in self._wanted.items():
            hit = next((path for path in ordered if any(one.match(path) for one in wanted)), None)
            if hit is not None:
                self._post(self._changed, name, hit)

    def _unwatched(self, error: Exception) -> None:
        self._post(self._failed, "files aren't watched any more: nothing restarts on their change", error)
