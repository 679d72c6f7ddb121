"""A lock that processes share, held on a file: let go by the kernel when its holder dies, however it dies."""

import fcntl
import os
import threading
import time
from pathlib import Path

_LOOK_SECONDS = 0.01
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


class _Descriptors:
    """All that locks of this process are on. A child that it forks has copies, by which they would stay held for ever
    after our death: it closes them first of all."""

    def __init__(self) -> None:
        self._open: set[int] = set()
        self._forks = 0
        self._changing = threading.RLock()
        os.register_at_fork(before=self._before, after_in_parent=self._changing.release, after_in_child=self._forked)

    def open(self, path: Path) -> int:
        """As ``os.open``; no forked child has a copy."""
        while True:
            forks = self._forks
            descriptor = os.open(path, _FLAGS, 0o600)  # a disk that hangs must not hold up forks
            with self._changing:
                if forks == self._forks:
                    self._open.add(descriptor)
                    return descriptor
            os.close(descriptor)

    def close(self, descriptor: int) -> None:
        """As ``os.close``; nothing in a forked child, which has closed it already."""
        with self._changing:
            if descriptor in self._open:
                self._open.discard(descriptor)
                os.close(descriptor)

    def _before(self) -> None:
        self._changing.acquire()
        self._forks += 1

    def _forked(self) -> None:
        for descriptor in self._open:
            os.close(descriptor)
        self._open.clear()
        self._changing.release()


_descriptors = _Descriptors()


class FileLock:
    """One holder at a time over all processes. Not for threads of one process to share, nor for a forked child."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = -1

    @property
    def held(self) -> bool:
        """Do we hold it?"""
        return self._descriptor >= 0

    def acquire(self, wait: float = 0.0) -> bool:
        """Take it, waiting at most ``wait`` seconds; False if somebody else has it still. Blocks: not for a loop.

        Raises:
            OSError: The file can't be opened (a full disk, a folder that is gone).
        """
        if self.held:
            return True
        descriptor = _descriptors.open(self.path)
        ends = time.monotonic() + wait
        try:
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if time.monotonic() >= ends:
                        _descriptors.close(descriptor)
                        return False
                    time.sleep(_LOOK_SECONDS)
                else:
                    break
        except BaseException:
            _descriptors.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def acquire_when_free(self) -> None:
        """Take it, however long that takes: the kernel wakes us. For a thread of its own.

        Raises:
            OSError: As `acquire`.
        """
        if self.held:
            return
        descriptor = _descriptors.open(self.path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except BaseException:
            _descriptors.close(descriptor)
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Let go. Safe to call twice."""
        if self.held:
            descriptor, self._descriptor = self._descriptor, -1
            _descriptors.close(descriptor)

    def __del__(self) -> None:
        self.release()  # nobody refers to it any more, so nobody could let go
