"""Reads a job's output when there is some, at most 64 KiB before others get their turn."""

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.process.draught import Draught
    from engine.process.read_ahead import ReadAhead

_REOPEN_SECONDS = 0.1


class OutputReader:
    """Watches one descriptor on the engine's loop and hands on bytes; the descriptor itself is its caller's to close.

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
        self._draught: Draught | None = None
        self._ahead: ReadAhead | None = None
        self._paused = True
        self.ended = False
        """Nothing more can come."""
        os.set_blocking(descriptor, False)

    def start(self) -> None:
        """Begin, or go on after `pause`."""
        if self.ended:
            return
        self._paused = False
        if self._ahead is not None and self._ahead.at_work:
            self._loop.call_soon(self._take_in)
        else:
            self._loop.add_reader(self._descriptor, self._ready)

    def pause(self) -> None:
        """Hand on nothing until `start`; the job blocks when its pipe is full."""
        self._paused = True
        self._loop.remove_reader(self._descriptor)
        if self._retry is not None:
            self._retry.cancel()
            self._retry = None
        if self._ahead is not None:
            self._ahead.stop()

    def close(self) -> None:
        """Read no more, ever. Before the descriptor is closed."""
        self.pause()
        self.ended = True
        if self._ahead is not None:
            self._ahead.close()
        elif self._draught is not None:
            self._draught.close()
        self._ahead = self._draught = None

    def drain(self, most: int) -> None:
        """Read what is ready now, at most ``most`` bytes: the child is dead, others may still be writing."""
        if self._ahead is not None:
            self._ahead.stop()
            while self._ahead is not None and (data := self._ahead.take()):
                most -= len(data)
                self._on_bytes(data)
        while most > 0 and not self.ended:
            taken = self._take(min(most, self._at_once))
            if not taken:
                break
            most -= taken
        if not self._paused:
            self.start()

    def _ready(self) -> None:
        taken = self._take(self._at_once)
        if self.ended:
            self.pause()
        elif self._unopened:
            self.pause()
            self._retry = self._loop.call_later(_REOPEN_SECONDS, self.start)
        elif self._reopens and taken >= self._at_once and not self._paused:
            self._read_ahead()

    def _read_ahead(self) -> None:
        """It floods: from here on a thread reads, until it has found nothing."""
        if self._ahead is None and self._draught is not None:
            from engine.process.read_ahead import ReadAhead

            self._ahead = ReadAhead(self._draught, self._at_once, self._tell_loop)
        if self._ahead is not None:
            self._loop.remove_reader(self._descriptor)
            self._ahead.go()

    def _tell_loop(self) -> None:
        with contextlib.suppress(RuntimeError):  # the engine has ended
            self._loop.call_soon_threadsafe(self._take_in)

    def _take_in(self) -> None:
        """Hand on one piece that was read ahead; read by turns again when that was the last."""
        if self._ahead is None or self._paused:
            return
        if data := self._ahead.take():
            self._on_bytes(data)
        if self._paused or self._ahead is None:
            return
        if not self._ahead.at_work:
            self._loop.add_reader(self._descriptor, self._ready)
        elif self._ahead.waiting:
            self._loop.call_soon(self._take_in)

    def _take(self, most: int) -> int:
        """Gather up to ``most`` bytes: a terminal hands out at most 4 KiB a read, too little to be worth a turn."""
        gathered: list[bytes] = []
        size = 0
        self._unopened = False
        while size < most:
            try:
                data = self._read(most - size)
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
            if self._draught is not None:
                break  # it has taken all there was
        if gathered:
            if size >= self._at_once and self._draught is None:
                self._draught = _draught(self._descriptor, self._at_once)
            self._on_bytes(gathered[0] if len(gathered) == 1 else b"".join(gathered))
        return size

    def _read(self, most: int) -> bytes:
        return os.read(self._descriptor, most) if self._draught is None else self._draught.read(most)


def _draught(descriptor: int, most: int) -> "Draught | None":
    """For a job that floods: other jobs need neither the library nor a descriptor more."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        from engine.process.draught import Draught

        return Draught(descriptor, most)
    except (OSError, AttributeError):
        return None  # no descriptor is left, or an unknown libc: read after read is as right
