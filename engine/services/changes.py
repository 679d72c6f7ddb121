"""Files whose change restarts a job: one thread watches those of all jobs."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Set
from pathlib import Path

from engine.services.globs import compile_glob, root_of
from engine.store.watching import Watching

_CALM_SECONDS = 0.3
"""So long nothing more must have changed: a checkout of thousands of files is one change, told at its end."""
_MOST_SECONDS = 5.0
"""So long it is waited for that at most."""


Mark = tuple[Path | None, int]
"""A folder, and which one of that name it is."""


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
        nowhere: Callable[[str], object],
        failed: Callable[[str, BaseException], object],
    ) -> None:
        """``nowhere``: told of each pattern outside of ``folder`` whose own folder isn't there yet."""
        super().__init__(loop)
        self._changed, self._nowhere, self._failed = changed, nowhere, failed
        self._folder, self._patterns = folder, patterns
        self._since: dict[str, tuple[float, str]] = {}
        self._due: dict[str, asyncio.TimerHandle] = {}
        self._wanted = {name: [compile_glob(one, folder) for one in ones] for name, ones in patterns.items()}
        self._roots: dict[str, Mark] = {}
        self._watched: dict[str, Mark] = {}
        self._told: set[str] = set()
        self._moved: dict[str, str] = {}
        """Jobs that a new or replaced folder restarts, and which: told once it is watched, as else what changes until
        then would be told by nobody."""
        self.watching = threading.Event()
        """It has begun: what changes from now on is told."""
        self._begin(self._folders, recursive=True, with_debris=False)

    def _folders(self) -> list[Path]:
        """From where on files count; on the thread, since a disk may hang."""
        self._roots = {one: _mark(one, self._folder) for ones in self._patterns.values() for one in ones}
        for pattern, (root, _number) in self._roots.items():
            if root is None and pattern not in self._told:
                self._told.add(pattern)
                self._post(self._nowhere, pattern)
        self._watched = self._watched or self._roots
        return sorted({root for root, _number in self._roots.values() if root is not None})

    def _anew(self, lost: Set[Path]) -> None:
        """A folder has come or was replaced (another branch was checked out): what is in it has changed."""
        before, self._watched = self._watched, self._roots
        for name, patterns in self._patterns.items():
            roots = [(self._roots[one], before[one]) for one in patterns]
            moved = [now or was for (now, mark), (was, old) in roots if (now, mark) != (was, old) or was in lost]
            if moved:
                self._moved.setdefault(name, str(moved[0]))

    def _see(self, paths: set[str]) -> None:
        self.watching.set()
        moved, self._moved = self._moved, {}
        for name, path in moved.items():
            self._post(self._hit, name, path)
        ordered = sorted(paths)
        for name, wanted in self._wanted.items():
            hit = next((path for path in ordered if any(one.match(path) for one in wanted)), None)
            if hit is not None:
                self._post(self._hit, name, hit)

    def _unwatched(self, error: Exception) -> None:
        self._post(self._failed, "files aren't watched any more: nothing restarts on their change", error)

    def close(self) -> None:
        """See `Watching`."""
        super().close()
        for timer in self._due.values():
            timer.cancel()

    def _hit(self, name: str, path: str) -> None:
        """On the loop."""
        now = self._loop.time()
        began, first = self._since.setdefault(name, (now, path))
        if name in self._due:
            self._due[name].cancel()
        due = min(now + _CALM_SECONDS, began + _MOST_SECONDS)
        self._due[name] = self._loop.call_at(due, self._tell, name, first)

    def _tell(self, name: str, path: str) -> None:
        del self._since[name], self._due[name]
        self._changed(name, path)


def _mark(pattern: str, folder: Path) -> Mark:
    root = root_of(pattern, folder)
    try:
        return root, root.stat().st_ino if root is not None else 0
    except OSError:
        return root, 0
