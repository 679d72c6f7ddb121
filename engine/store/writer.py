"""The writer thread: files of state, off the engine's loop, the latest of each; and jobs in their order (design 5)."""

import errno
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TypeVar

from engine.store.files import remove, write_whole
from engine.store.home import private_folder

T = TypeVar("T")
Guard = Callable[[], AbstractContextManager[object]]
"""Entered for the moment in which a file is replaced. What it raises keeps the file as it was."""
Work = Callable[[], bool | None]
"""False: it is done, but nothing was written, so it shows nothing of the disk."""

_AGAIN_SECONDS = 2.0
_BUSY_AGAIN_SECONDS = 0.05
_BUSY_SECONDS = 2.0
"""So long another process's lock is nothing to tell of."""
_ADVICE = {
    errno.ENOSPC: "free some space there",
    errno.EDQUOT: "your quota is used up: free some space there",
    errno.EROFS: "it can only be read: mount it anew, or set JOBDECK_HOME to a folder on another disk",
    errno.EACCES: "make it writable for you, or set JOBDECK_HOME to a folder of yours",
    errno.EIO: "the disk fails: look at it, or set JOBDECK_HOME to a folder on another one",
}


class Withheld(OSError):
    """A guard can't say just now whether the file may be written: it is tried again. Its giver tells why."""


class Busy(OSError):
    """Another process has the lock that a piece of work needs: it is to be tried again soon."""


class _Wanted:
    """What is to be done under a name, and who waits for it."""

    def __init__(self, work: Work, *, guarded: bool) -> None:
        self.work = work
        self.guarded = guarded
        self.waiting: list[Future[None]] = []
        self.done: list[Callable[[], None]] = []
        self.not_before = 0.0
        self.busy_since = 0.0


class Writer:
    """Does the latest work of each name, oldest first. The thread starts with the first and ends with `close`.

    What can't be done (a full disk) is kept and tried again; ``report`` is told once, on the thread, and again when
    all has been done after all.
    """

    def __init__(self, report: Callable[[str, BaseException | None], None]) -> None:
        self._report = report
        self._changed = threading.Condition()
        self._wanted: dict[Path, _Wanted] = {}
        self._jobs: deque[Callable[[], None]] = deque()
        self._failing: set[Path] = set()
        self._troubled = False
        """It was told that something fails, and nothing has been written since that shows that all is well."""
        self._at_work = False
        self._steps = 0
        self._closing = False
        self._thread: threading.Thread | None = None

    def save(self, path: Path, data: bytes | None, guard: Guard = nullcontext) -> "Future[None]":
        """Have the file hold ``data`` (None: not be there). The future is done once that, or something later, is on
        the disk; its exception is the first failure, while it goes on being tried.

        A ``guard`` that raises anything but `OSError` has the last word: the wish is dropped.
        """
        return self._want(path, _Wanted(lambda: _put(path, data, guard), guarded=True))

    def perform(self, name: Path, work: Work, done: Callable[[], None] | None = None) -> "Future[None]":
        """Have ``work`` done on the thread, in place of what still waits under this name. The future as for `save`.

        ``done`` is called on the thread once it, or what came in its place, has been done.
        """
        wanted = _Wanted(work, guarded=False)
        wanted.done = [done] if done is not None else []
        return self._want(name, wanted)

    def run(self, work: Callable[[], T]) -> "Future[T]":
        """Do ``work`` on the thread, before any file that waits; such jobs are done in the order of the calls."""
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()

        def do() -> None:
            try:
                result = work()
            except Exception as error:  # noqa: BLE001  it is the asker's to handle
                future.set_exception(error)
            else:
                future.set_result(result)

        with self._changed:
            if not self._closing:
                self._jobs.append(do)
                self._begin()
                return future
        future.set_exception(OSError(errno.ESHUTDOWN, "the engine has ended"))
        return future

    def forget(self, name: Path) -> None:
        """Nobody needs any more what waits under this name."""
        with self._changed:
            self._wanted.pop(name, None)
            self._failing.discard(name)
            self._changed.notify_all()

    def flush(self, timeout: float) -> bool:
        """Wait until all is done, as long as something is done every ``timeout`` seconds; False if it isn't."""
        with self._changed:
            for wanted in self._wanted.values():
                wanted.not_before = 0.0
            self._changed.notify_all()
            steps = -1
            while self._wanted or self._jobs or self._at_work:
                if steps == self._steps:
                    return False
                steps = self._steps
                self._changed.wait_for(lambda before=steps: self._steps != before, timeout)  # type: ignore[misc]
            return True

    def close(self, timeout: float) -> bool:
        """Do what is left, then end the thread. False: nothing was done for ``timeout`` seconds."""
        done = self.flush(timeout)
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None and done:
            self._thread.join(timeout)
        return done

    def _want(self, name: Path, wanted: _Wanted) -> "Future[None]":
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # nobody takes it back: what is written is written
        with self._changed:
            before = self._wanted.get(name)
            if before is not None:
                wanted.waiting, wanted.done = before.waiting, [*before.done, *wanted.done]
            wanted.waiting.append(future)
            self._wanted[name] = wanted
            self._begin()
        return future

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="jobdeck-writer", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            made_it = work()
            with self._changed:
                self._at_work = False
                self._steps += made_it is not False
                self._changed.notify_all()

    def _next(self) -> Callable[[], bool | None] | None:
        with self._changed:
            while True:
                if self._closing:
                    return None
                if self._jobs:
                    self._at_work = True
                    return self._jobs.popleft()
                now = time.monotonic()
                for name, wanted in self._wanted.items():
                    if wanted.not_before <= now:
                        self._at_work = True
                        del self._wanted[name]
                        return lambda name=name, wanted=wanted: self._do(name, wanted)  # type: ignore[misc]
                due = min((one.not_before for one in self._wanted.values()), default=None)
                self._changed.wait(due - now if due is not None else None)

    def _do(self, name: Path, wanted: _Wanted) -> bool:
        """False: it is to be tried again."""
        error: Exception | None = None
        wrote: bool | None = False
        try:
            wrote = wanted.work()
        except Exception as failure:  # noqa: BLE001  whatever it was, the other files are written
            error = failure
        self._settle(name, wanted, error, wrote=wrote is not False)
        return not isinstance(error, OSError)

    def _settle(self, name: Path, wanted: _Wanted, error: Exception | None, *, wrote: bool) -> None:
        now = time.monotonic()
        busy, again = isinstance(error, Busy), isinstance(error, OSError)
        wanted.busy_since = (wanted.busy_since or now) if busy else 0.0
        early = busy and now - wanted.busy_since < _BUSY_SECONDS
        told, done = wanted.waiting, wanted.done
        with self._changed:
            was_troubled = self._troubled
            if again:
                wanted.not_before = now + (_BUSY_AGAIN_SECONDS if busy else _AGAIN_SECONDS)
                wanted.waiting, told = (told, []) if early else ([], told)
                self._keep(name, wanted)
                if not (early or isinstance(error, Withheld)):
                    self._failing.add(name)
            else:
                self._failing.discard(name)
            failing = bool(self._failing)
            self._troubled = failing or (was_troubled and not wrote)
        if error is None:
            for then in done:
                then()
        for future in told:
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)
        if error is not None and not again and not wanted.guarded:
            self._report(f"{name} can't be saved; it is given up", error)
        elif failing and not was_troubled:
            self._report(_trouble(name, error), error)
        elif was_troubled and not self._troubled:
            self._report(f"{name} is saved again, and all else that waited", None)

    def _keep(self, name: Path, wanted: _Wanted) -> None:
        """Try it again, unless something came in its place meanwhile, which then stands for it."""
        newer = self._wanted.setdefault(name, wanted)
        if newer is not wanted:
            newer.waiting = [*wanted.waiting, *newer.waiting]
            newer.done = [*wanted.done, *newer.done]
            newer.busy_since = wanted.busy_since


def _put(path: Path, data: bytes | None, guard: Guard) -> bool:
    if data is None:
        with guard():
            remove(path)
        return False
    write_whole(private_folder(path.parent) / path.name, data, guard=guard)
    return True


def _trouble(name: Path, error: Exception | None) -> str:
    advice = _ADVICE.get(error.errno or 0, "") if isinstance(error, OSError) else ""
    if isinstance(error, Busy):
        advice = "another process holds its lock and doesn't go on; 'fuser' with the lock file names it"
    return f"{name} can't be saved{f' ({advice})' if advice else ''}; it is tried again, and nothing stops meanwhile"
