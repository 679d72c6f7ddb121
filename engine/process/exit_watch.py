"""Tells when a child has exited, by its pidfd on Linux and by a waiting thread elsewhere; the one reaper (spec 1.3)."""

import asyncio
import os
import threading
from collections.abc import Callable
from typing import Protocol

from engine.process.identity import LINUX


class ExitWatch(Protocol):
    """Watches one child."""

    def reap(self) -> int:
        """Take the exit status: the code, or -N for death by signal N. Only after the exit was told."""

    def close(self) -> None:
        """Watch no longer."""


class PidfdWatch:
    """The child stays a zombie until `reap`, so that its number can't be reused while we still look at its group."""

    def __init__(self, loop: asyncio.AbstractEventLoop, pid: int, on_exit: Callable[[], None]) -> None:
        self._loop = loop
        self._on_exit = on_exit
        self._pid = pid
        self._descriptor = os.pidfd_open(pid)
        loop.add_reader(self._descriptor, self._ready)

    def _ready(self) -> None:
        self._loop.remove_reader(self._descriptor)
        self._on_exit()

    def reap(self) -> int:
        """See `ExitWatch`."""
        _pid, status = os.waitpid(self._pid, 0)
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        """See `ExitWatch`."""
        if self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


class ThreadWatch:
    """A thread in ``waitpid``, for systems without pidfd; it reaps at the exit itself."""

    def __init__(self, loop: asyncio.AbstractEventLoop, pid: int, on_exit: Callable[[], None]) -> None:
        self._status = 0
        self._loop = loop
        self._on_exit = on_exit
        threading.Thread(target=self._wait, args=(pid,), name=f"jobdeck-wait-{pid}", daemon=True).start()

    def _wait(self, pid: int) -> None:
        _pid, self._status = os.waitpid(pid, 0)
        try:
            self._loop.call_soon_threadsafe(self._on_exit)
        except RuntimeError:
            return  # the engine has shut down: nobody waits for this exit

    def reap(self) -> int:
        """See `ExitWatch`."""
        return os.waitstatus_to_exitcode(self._status)

    def close(self) -> None:
        """See `ExitWatch`. The thread ends with the child."""


def watch_exit(loop: asyncio.AbstractEventLoop, pid: int, on_exit: Callable[[], None]) -> ExitWatch:
    """Call ``on_exit`` on the loop when the child has exited.

    Raises:
        OSError: No descriptor is left.
    """
    return PidfdWatch(loop, pid, on_exit) if LINUX else ThreadWatch(loop, pid, on_exit)
