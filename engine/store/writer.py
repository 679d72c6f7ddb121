"""The writer thread: files of state, off the engine's loop, the latest of each (design 5)."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from engine.store.files import remove, write_whole
from engine.store.home import private_folder

_AGAIN_SECONDS = 2.0


class _Wanted:
    """What a file is to hold, and who waits for it to be on the disk."""

    def __init__(self, data: bytes | None) -> None:
        self.data = data
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
        self._failing: set[Path] = set()
        self._writing: Path | None = None
        self._closing = False
        self._thread: threading.Thread | None = None

    def save(self, path: Path, data: bytes | None) -> "Future[None]":
        """Have the file hold ``data`` (None: not be there). The future is done once that, or something later, is on
        the disk; its exception is the first failure, while it goes on being tried."""
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # nobody takes it back: what is written is written
        with self._changed:
            before = self._wanted.get(path)
            wanted = self._wanted[path] = _Wanted(data)
            wanted.waiting = [*(before.waiting if before is not None else ()), future]
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="jobdeck-writer", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return future

    def flush(self, timeout: float) -> bool:
        """Wait until all is written, at most ``timeout`` seconds; False if it isn't."""
        with self._changed:
            for wanted in self._wanted.values():
                wanted.not_before = 0.0
            self._changed.notify_all()
            return self._changed.wait_for(lambda: not self._wanted and self._writing is None, timeout)

    def close(self, timeout: float) -> bool:
        """Write what is left, then end the thread. False: it wasn't done in ``timeout`` seconds."""
        done = self.flush(timeout)
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None and done:
            self._thread.join(timeout)
        return done

    def _run(self) -> None:
        while (item := self._next()) is not None:
            path, wanted = item
            error: OSError | None = None
            try:
                if wanted.data is None:
                    remove(path)
                else:
                    write_whole(private_folder(path.parent) / path.name, wanted.data)
            except OSError as failure:
                error = failure
            self._settle(path, wanted, error)

    def _next(self) -> tuple[Path, _Wanted] | None:
        with self._changed:
            while True:
                if self._closing:
                    return None
                now = time.monotonic()
                due = [(one.not_before, path) for path, one in self._wanted.items()]
                if due and (first := min(due))[0] <= now:
                    self._writing = first[1]
                    return first[1], self._wanted.pop(first[1])
                self._changed.wait(min(due)[0] - now if due else None)

    def _settle(self, path: Path, wanted: _Wanted, error: OSError | None) -> None:
        with self._changed:
            self._writing = None
            told, wanted.waiting = wanted.waiting, []
            newly = (path in self._failing) != (error is not None)
            if error is None:
                self._failing.discard(path)
            else:
                self._failing.add(path)
                wanted.not_before = time.monotonic() + _AGAIN_SECONDS
                self._wanted.setdefault(path, wanted)
            self._changed.notify_all()
        for future in told:
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)
        if newly and error is not None:
            self._report(f"{path} can't be saved; it is tried again, and nothing stops meanwhile", error)
        elif newly:
            self._report(f"{path} is saved again", None)
