"""Tells of changes in a folder, by watchfiles on a thread of its own."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path

_STEP_MS = 100
"""How long a change may go unseen; the thread looks this often whether it was told of one."""
_IDLE_MS = 1_000
_LOOK_SECONDS = 2.0


class FolderWatch:
    """Calls ``changed`` on the loop with the names that changed; empty: any may have. ``names``: of these alone."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        folder: Path,
        changed: Callable[[frozenset[str]], object],
        failed: Callable[[str, BaseException], object],
        names: frozenset[str] = frozenset(),
    ) -> None:
        self._loop = loop
        self._folder = folder
        self._changed = changed
        self._failed = failed
        self._names = names
        self._stop = threading.Event()
        threading.Thread(target=self._run, name="jobdeck-watchfiles", daemon=True).start()

    def close(self) -> None:
        """Watch no longer. Its thread ends within a moment; nobody waits for it."""
        self._stop.set()

    def _run(self) -> None:
        try:
            self._watch()
        except Exception as error:  # noqa: BLE001  whatever keeps it from being told, it can look
            self._post(self._failed, f"changes of {self._folder} aren't told; it is looked at instead", error)
            while not self._stop.wait(_LOOK_SECONDS):
                self._post(self._changed, frozenset())

    def _watch(self) -> None:
        import watchfiles

        begun = False
        for changes in watchfiles.watch(
            self._folder,
            watch_filter=(lambda _change, path: Path(path).name in self._names) if self._names else None,
            debounce=_STEP_MS,
            step=_STEP_MS,
            rust_timeout=_IDLE_MS,
            stop_event=self._stop,
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=False,
        ):
            if not begun:  # what changed before it watched was told by nobody
                begun = True
                self._post(self._changed, frozenset())
            elif changes:
                self._post(self._changed, frozenset(Path(path).name for _change, path in changes))

    def _post(self, do: Callable[..., object], *args: object) -> None:
        if not self._stop.is_set():
            with contextlib.suppress(RuntimeError):  # the engine has ended
                self._loop.call_soon_threadsafe(do, *args)
