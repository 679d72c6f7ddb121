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

_AGAIN_SECONDS = 2.0


class Withheld(OSError):
    """A guard can't say just now whether the file may be written: it is tried again. Its giver tells why."""


class _Wanted:
    """What a file is to hold, and who waits for it to be on the disk."""

    def __init__(self, data: bytes | None, guard: Guard) -> None:
        self.data = data
        self.guard = guard
        self.waiting: list[Future[None]] = []
        self.not_before = 0.0


class Writer:
    """Writes whole files, the latest wish for each. The thread starts with the first and ends with `close`.

    What can't be written (a full disk) is kept and tried again; ``report`` is told once, on the thread, and again when
    it has been written after all.
    """

    def __init__(self, report: Callable[[str, BaseException | None], None]) -> None:
        self._report = report
        self._changed = threading.Condition()
        self._wanted: dict[Path, _Wanted] = {}
        self._jobs: deque[Callable[[], None]] = deque()
        self._failing: set[Path] = set()
        self._busy = False
        self._closing = False
        self._thread: threading.Thread | None = None

    def save(self, path: Path, data: bytes | None, guard: Guard = nullcontext) -> "Future[None]":
        """Have the file hold ``data`` (None: not be there). The future is done once that, or something later, is on
        the disk; its exception is the first failure, while it goes on being tried.

        A ``guard`` that raises anything but `OSError` has the last word: the wish is dropped.
        """
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # nobody takes it back: what is written is written
        with self._changed:
            before = self._wanted.get(path)
            wanted = self._wanted[path] = _Wanted(data, guard)
            wanted.waiting = [*(before.waiting if before is not None else ()), future]
            self._begin()
        return future

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

    def flush(self, timeout: float) -> bool:
        """Wait until all is done, at most ``timeout`` seconds; False if it isn't."""
        with self._changed:
            for wanted in self._wanted.values():
                wanted.not_before = 0.0
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not (self._wanted or self._jobs or self._busy), timeout)

    def close(self, timeout: float) -> bool:
        """Write what is left, then end the thread. False: it wasn't done in ``timeout`` seconds."""
        done = self.flush(timeout)
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None and done:
            self._thread.join(timeout)
        return done

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="jobdeck-writer", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _run(self) -> None:
        while (work := self._next()) is not None:
            work()
            with self._changed:
                self._busy = False
                self._changed.notify_all()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            while True:
                if self._closing:
                    return None
                if self._jobs:
                    self._busy = True
                    return self._jobs.popleft()
                now = time.monotonic()
                due = [(one.not_before, path) for path, one in self._wanted.items()]
                if due and (first := min(due))[0] <= now:
                    self._busy = True
                    path, wanted = first[1], self._wanted.pop(first[1])
                    return lambda: self._write(path, wanted)
                self._changed.wait(min(due)[0] - now if due else None)

    def _write(self, path: Path, wanted: _Wanted) -> None:
        error: Exception | None = None
        try:
            if wanted.data is None:
                with wanted.guard():
                    remove(path)
            else:
                write_whole(private_folder(path.parent) / path.name, wanted.data, guard=wanted.guard)
        except Exception as failure:  # noqa: BLE001  a guard's last word
            error = failure
        self._settle(path, wanted, error)

    def _settle(self, path: Path, wanted: _Wanted, error: Exception | None) -> None:
        with self._changed:
            told, wanted.waiting = wanted.waiting, []
            if isinstance(error, OSError):
                wanted.not_before = time.monotonic() + _AGAIN_SECONDS
                self._wanted.setdefault(path, wanted)
            known = path in self._failing
            if isinstance(error, OSError) and not isinstance(error, Withheld):
                self._failing.add(path)
            elif not isinstance(error, Withheld):
                self._failing.discard(path)
            failing = path in self._failing
        for future in told:
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)
        if failing and not known:
            self._report(f"{path} can't be saved; it is tried again, and nothing stops meanwhile", error)
        elif known and error is None:
            self._report(f"{path} is saved again", None)
