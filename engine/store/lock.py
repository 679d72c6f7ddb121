"""A lock that processes share, held on a file: let go by the kernel when its holder dies, however it dies."""

import fcntl
import os
import time
from pathlib import Path

_LOOK_SECONDS = 0.01


class FileLock:
    """One holder at a time over all processes. Not for threads of one process to share."""

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
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.path, flags, 0o600)
        ends = time.monotonic() + wait
        try:
            while True:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    if time.monotonic() >= ends:
                        os.close(descriptor)
                        return False
                    time.sleep(_LOOK_SECONDS)
                else:
                    break
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return True

    def release(self) -> None:
        """Let go. Safe to call twice."""
        if self.held:
            descriptor, self._descriptor = self._descriptor, -1
            os.close(descriptor)

    def __del__(self) -> None:
        self.release()  # nobody refers to it any more, so nobody could let go
