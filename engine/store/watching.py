"""Files that change below folders, told by watchfiles on a thread of its own."""

import asyncio
import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path

_STEP_MS = 100
"""How long a change may go unseen; the thread looks this often whether it was told of one."""
_IDLE_MS = 1_000


class Watching(ABC):
    """Watches folders until it is closed. Who derives from it says what counts, on the thread, and tells the loop of it
    by `_post`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Nothing is watched before `_begin`."""
        self._loop = loop
        self._stop = threading.Event()

    def close(self) -> None:
        """Watch no longer. Its thread ends within a moment; nobody waits for it."""
        self._stop.set()

    @abstractmethod
    def _see(self, paths: set[str]) -> None:
        """These have changed. The first call says that it watches now, and often has none."""

    @abstractmethod
    def _unwatched(self, error: Exception) -> None:
        """They can't be watched (any more); the thread ends after this."""

    def _begin(
        self, folders: Sequence[Path], *, recursive: bool, with_debris: bool, debounce_ms: int = _STEP_MS
    ) -> None:
        """Watch from now on.

        Args:
            folders: There must be one.
            recursive: All that is below them, too.
            with_debris: Also version control, caches and editors' swap files, as watchfiles has it.
            debounce_ms: What changes within this time of each other is told together.
        """

        def run() -> None:
            try:
                import watchfiles  # only who watches loads it

                for changes in watchfiles.watch(
                    *folders,
                    watch_filter=None if with_debris else watchfiles.DefaultFilter(),
                    recursive=recursive,
                    debounce=debounce_ms,
                    step=_STEP_MS,
                    rust_timeout=_IDLE_MS,
                    stop_event=self._stop,
                    yield_on_timeout=True,
                    raise_interrupt=False,
                ):
                    self._see({path for _change, path in changes})
            except Exception as error:  # noqa: BLE001  whatever it was, nothing is told any more, and somebody must know
                self._unwatched(error)

        threading.Thread(target=run, name="jobdeck-watchfiles", daemon=True).start()

    def _post(self, do: Callable[..., object], *args: object) -> None:
        if not self._stop.is_set():
            with contextlib.suppress(RuntimeError):  # the engine has ended
                self._loop.call_soon_threadsafe(do, *args)
