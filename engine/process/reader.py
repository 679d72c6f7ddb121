"""Reads a job's output when there is some, at most 64 KiB before others get their turn."""

import asyncio
import os
from collections.abc import Callable

_REOPEN_SECONDS = 0.1


class OutputReader:
    """Watches one descriptor on the engine's loop and hands on bytes; owns nothing, closes nothing.

    ``on_bytes`` must not raise. A pipe without writers ends the reading. A terminal that nobody has open (EIO) may be
    opened again by its job, through /dev/tty, of which no readiness tells: it is looked at ten times a second.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        descriptor: int,
        at_once: int,
        on_bytes: Callable[[bytes], None],
        *,
        reopens: bool = False,
    ) -> None:
        self._loop = loop
        self._descriptor = descriptor
        self._at_once = at_once
        self._on_bytes = on_bytes
        self._reopens = reopens
        self._retry: asyncio.TimerHandle | None = None
        self._unopened = False
        self.ended = False
        """Nothing more can come."""
        os.set_blocking(descriptor, False)

    def start(self) -> None:
        """Begin, or go on after `pause`."""
        if not self.ended:
            self._loop.add_reader(self._descriptor, self._ready)

    def pause(self) -> None:
        """Read nothing until `start`; the job blocks when its pipe is full."""
        self._loop.remove_reader(self._descriptor)
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None

    def drain(self, most: int) -> None:
        """Read what is ready now, at most ``most`` bytes: the child is dead, others may still be writing."""
        while most > 0 and not self.ended:
            taken = self._take(min(most, self._at_once))
            if not taken:
                return
            most -= taken

    def _ready(self) -> None:
        self._take(self._at_once)
        if self.ended:
            self.pause()
        elif self._unopened:
            self.pause()
            self._retry = self._loop.call_later(_REOPEN_SECONDS, self.start)

    def _take(self, most: int) -> int:
        """Gather up to ``most`` bytes: a terminal hands out at most 4 KiB a read, too little to be worth a turn."""
        gathered: list[bytes] = []
        size = 0
        self._unopened = False
        while size < most:
            try:
                data = os.read(self._descriptor, most - size)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:
                self._unopened = self._reopens
                self.ended = not self._reopens
                break
            if not data:
                self.ended = True
                break
            gathered.append(data)
            size += len(data)
        if gathered:
            self._on_bytes(gathered[0] if len(gathered) == 1 else b"".join(gathered))
        return size
