"""Files that change below folders, told by watchfiles on a thread of its own."""

import asyncio
import contextlib
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from pathlib import Path

from engine.store.stillness import Stillness

_STEP_MS = 100
"""How long a change may go unseen; the thread looks this often whether it was told of one."""
_IDLE_MS = 1_000
_REST_SECONDS = 60.0
"""Where nothing changes, it is looked so often for what the kernel doesn't tell: a link above that leads elsewhere."""
_STEP_SECONDS, _IDLE_SECONDS = _STEP_MS / 1_000, _IDLE_MS / 1_000


class Watching(ABC):
    """Watches folders until it is closed. Who derives from it says what counts, on the thread, and tells the loop of it
    by `_post`."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Nothing is watched before `_begin`."""
        self._loop = loop
        self._stop = threading.Event()
        self._stillness: Stillness | None = None
        self._can_rest = True

    def close(self) -> None:
        """Watch no longer. Its thread ends within a moment; nobody waits for it."""
        self._stop.set()
        if (stillness := self._stillness) is not None:
            stillness.end()

    @abstractmethod
    def _see(self, paths: set[str]) -> None:
        """These have changed, or are new with the folder that they are in. The first call says that it watches now, and
        often has none."""

    @abstractmethod
    def _unwatched(self, error: Exception) -> None:
        """They can't be watched (any more); the thread ends after this."""

    @abstractmethod
    def _anew(self, lost: Set[Path]) -> None:
        """What is watched is no longer what it was; these of it were removed or replaced, also if there is one of that
        name again, even of the same number: what has changed meanwhile was seen by nobody. Called on the thread, before
        the next `_see`."""

    def _begin(
        self,
        folders: Callable[[], Sequence[Path]],
        *,
        recursive: bool,
        with_debris: bool,
    ) -> None:
        """Watch from now on.

        Args:
            folders: Which, asked on the thread, and again about once a second while things change (or by looking): a
                folder that was removed or replaced tells no more by itself.
            recursive: All that is below them, too.
            with_debris: Also version control, caches and editors' swap files, as watchfiles has it.
        """

        def watch() -> None:
            import watchfiles  # only who watches loads it

            keeps = None if with_debris else watchfiles.DefaultFilter()
            watched = _marked(folders())
            while not self._stop.is_set():
                now, lost = watched, set[Path]()
                try:
                    for changes in (
                        watchfiles.watch(
                            *watched,
                            watch_filter=keeps,
                            recursive=recursive,
                            debounce=_STEP_MS,
                            step=_STEP_MS,
                            rust_timeout=_IDLE_MS,
                            stop_event=self._stop,
                            yield_on_timeout=True,
                            raise_interrupt=False,
                        )
                        if watched
                        else ()
                    ):
                        added = [path for change, path in changes if change is watchfiles.Change.added]
                        new = _below(added, lambda path: keeps is None or keeps(watchfiles.Change.added, path))
                        self._see({path for _change, path in changes}.union(new if recursive else ()))
                        lost = {Path(path) for change, path in changes if change is watchfiles.Change.deleted}
                        lost &= watched.keys()  # another in its place may have its number
                        now = _marked(folders())
                        if lost or now != watched:
                            break
                        if not changes and not recursive:
                            self._rest(tuple(watched))
                except FileNotFoundError:  # removed at this very moment; it may be back in the next, the same as before
                    lost = set(watched)
                    self._stop.wait(_STEP_SECONDS)
                    now = _marked(folders())
                finally:
                    self._rest_no_more()
                while not lost and now == watched and not self._stop.wait(_STEP_SECONDS if watched else _IDLE_SECONDS):
                    now = _marked(folders())
                lost |= {folder for folder, mark in watched.items() if now.get(folder) != mark}
                watched = now
                self._anew(lost)

        def run() -> None:
            try:
                watch()
            except Exception as error:  # noqa: BLE001  whatever it was, nothing is told any more, and somebody must know
                self._unwatched(error)

        threading.Thread(target=run, name="jobdeck-watchfiles", daemon=True).start()

    def _rest(self, folders: Sequence[Path]) -> None:
        """Nothing has changed for a while: sleep until something does."""
        if self._stillness is not None:
            self._stillness.last(_REST_SECONDS)
        elif self._can_rest:
            try:  # from the next time on: what changes until then, watchfiles has seen
                self._stillness = Stillness(folders)
            except OSError:
                self._can_rest = False

    def _rest_no_more(self) -> None:
        stillness, self._stillness = self._stillness, None
        if stillness is not None:
            stillness.close()

    def _post(self, do: Callable[..., object], *args: object) -> None:
        if not self._stop.is_set():
            with contextlib.suppress(RuntimeError):  # the engine has ended
                self._loop.call_soon_threadsafe(do, *args)


def _below(added: Iterable[str], keeps: Callable[[str], bool]) -> Iterator[str]:
    """What is in the folders among these: a folder that comes with its files, or fills before it is watched, is all
    that is told."""
    for path in added:
        for folder, folders, files in os.walk(path):
            folders[:] = [name for name in folders if keeps(os.path.join(folder, name))]
            yield from filter(keeps, (os.path.join(folder, name) for name in files))


def _marked(folders: Sequence[Path]) -> dict[Path, tuple[int, int]]:
    """Folders that are there, each with which one it is."""
    found = {}
    for folder in folders:
        with contextlib.suppress(OSError):
            stat = folder.stat()
            found[folder] = stat.st_dev, stat.st_ino
    return found
