"""Sleeping until something changes in a folder, without looking: the kernel wakes who sleeps (inotify).

watchfiles tells what has changed, but its thread looks ten times a second for whether something has.
"""

import ctypes
import os
import select
import threading
from collections.abc import Sequence
from pathlib import Path

_CHANGES = 0xFCE
"""MODIFY, ATTRIB, CLOSE_WRITE, MOVED_FROM, MOVED_TO, CREATE, DELETE, DELETE_SELF, MOVE_SELF: not what only reads."""
_POLLED = "WATCHFILES_FORCE_POLLING"
"""With it, or on WSL, watchfiles asks the file system itself, since the kernel tells nothing there."""


class Stillness:
    """Of some folders, not of what is below them. One thread sleeps, any other may wake it."""

    def __init__(self, folders: Sequence[Path]) -> None:
        """Changes count from now on.

        Raises:
            OSError: The kernel can't tell (of these folders, or at all), or tells no more of us.
        """
        if not hasattr(os, "eventfd") or os.environ.get(_POLLED) or "microsoft" in os.uname().release:
            raise OSError("changes aren't told by the kernel here")
        libc = ctypes.CDLL(None, use_errno=True)
        self._closing = threading.Lock()
        self._inotify = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._inotify < 0:
            raise _last_error()
        self._called = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        for folder in folders:
            if libc.inotify_add_watch(self._inotify, os.fsencode(folder), _CHANGES) < 0:
                error = _last_error()
                self.close()
                raise error

    def last(self, seconds: float) -> None:
        """Sleep until something has changed since this returned last, or `end`; at most so long."""
        poll = select.poll()
        poll.register(self._inotify, select.POLLIN)
        poll.register(self._called, select.POLLIN)
        poll.poll(seconds * 1_000)
        try:
            while os.read(self._inotify, 65_536):
                pass
        except BlockingIOError:
            return

    def end(self) -> None:
        """Wake who sleeps, and whoever would. From any thread, any number of times."""
        with self._closing:
            if self._called >= 0:
                os.eventfd_write(self._called, 1)

    def close(self) -> None:
        """Give the descriptors back. Nobody may sleep."""
        with self._closing:
            os.close(self._inotify)
            os.close(self._called)
            self._inotify = self._called = -1


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
