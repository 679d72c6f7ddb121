"""Tells of changes in a folder, also where watchfiles can't, and where it is made only later."""

import asyncio
from collections.abc import Callable, Set
from pathlib import Path

from engine.store.watching import Watching

_LOOK_SECONDS = 2.0


class FolderWatch(Watching):
    """Calls ``changed`` on the loop with the names that changed; empty: any may have. ``names``: of these alone."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        folder: Path,
        changed: Callable[[frozenset[str]], object],
        failed: Callable[[str, BaseException], object],
        names: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(loop)
        self._folder = folder
        self._changed = changed
        self._failed = failed
        self._names = names
        self._begun = False
        self._begin(self._nearest, recursive=False, with_debris=True)

    def _nearest(self) -> tuple[Path, ...]:
        """The folder, or while it isn't there what it would be in."""
        folder = self._folder
        while not folder.is_dir() and folder != folder.parent:
            folder = folder.parent
        return (folder,)

    def _anew(self, lost: Set[Path]) -> None:  # noqa: ARG002
        self._begun = False

    def _see(self, paths: set[str]) -> None:
        names = frozenset(Path(path).name for path in paths)
        if self._names:
            names &= self._names
        if not self._begun:  # what changed before it watched was told by nobody
            self._begun = True
            self._post(self._changed, frozenset())
        elif names:
            self._post(self._changed, names)

    def _unwatched(self, error: Exception) -> None:
        self._post(self._failed, f"changes of {self._folder} aren't told; it is looked at instead", error)
        while not self._stop.wait(_LOOK_SECONDS):
            self._post(self._changed, frozenset())
