"""A held job's output at the engine's side: read from its log as far as its holder says, some at a time."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from engine.ownership.history import Tail
from engine.ownership.holding import frames
from engine.ownership.holding.frames import frame

_SEEN_BYTES = 262_144
"""So much is read before the holder is told how far we are."""


class HeldOutput:
    """On the engine's loop alone. ``hand_on`` and what is told in ``looked`` and ``trouble`` are its owner's."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        folder: Path,
        at_once: int,
        send: Callable[[bytes], None],
        looked: Callable[[], int],
        trouble: Callable[[str], None],
    ) -> None:
        self.end = 0
        """Up to this byte there is output."""
        self._loop = loop
        self._at_once = at_once
        self._send = send
        self._looked = looked
        self._trouble = trouble
        self._hand_on: Callable[[bytes], None] | None = None
        self._tail = Tail(folder, 0)
        self._unwritten: dict[int, bytes] = {}
        """What didn't get onto the disk, by its first byte."""
        self._told = 0
        self._pumping: asyncio.Handle | None = None
        self._stopped = False

    def begin_at(self, byte: int) -> None:
        """What is before it has been read elsewhere."""
        self._tail.position = self.end = self._told = byte

    def start(self, hand_on: Callable[[bytes], None]) -> None:
        """Hand on from now on what there is."""
        self._hand_on = hand_on
        self._tell_seen()
        self.more(self.end)

    def more(self, end: int) -> None:
        """There is output up to this byte."""
        self.end = max(self.end, end)
        if self._pumping is None and not self._stopped and self._hand_on is not None:
            self._pump()

    def unwritten(self, start: int, data: bytes) -> None:
        """This came from byte ``start`` on, and isn't in the log."""
        self._unwritten[start] = data
        self.more(start + len(data))

    def drain(self, most: int) -> None:
        """Hand on at most so many bytes of what there is at once."""
        while most > 0 and (data := self._next()):
            most -= len(data)
            self._take(data)

    def stop(self) -> None:
        """Read no more."""
        self._stopped = True
        if self._pumping is not None:
            self._pumping.cancel()
            self._pumping = None
        self._tail.close()

    def _pump(self) -> None:
        """Take in some, and let others have their turn."""
        self._pumping = None
        data = self._next()
        if data:
            self._take(data)
        if self._tail.position < self.end and not self._stopped:
            self._pumping = self._loop.call_soon(self._pump)

    def _take(self, data: bytes) -> None:
        if self._hand_on is not None:
            self._hand_on(data)
        at = self._tail.position
        if at >= self.end or at - self._told >= _SEEN_BYTES:
            self._tell_seen()

    def _tell_seen(self) -> None:
        self._told = self._tail.position
        self._send(frame(frames.SEEN, self._told, self._looked()))

    def _next(self) -> bytes:
        tail = self._tail
        extra = self._unwritten.pop(tail.position, None)
        if extra is not None:
            tail.position += len(extra)
            return extra
        until = min((start for start in self._unwritten if start > tail.position), default=self.end)
        try:
            data = tail.read(until, self._at_once)
        except OSError as error:
            tail.lost += until - tail.position
            tail.position = until
            self._trouble(f"a held job's log can't be read: {error.strerror or error}")
            data = b""
        if tail.lost:
            self._trouble(f"{tail.lost:,} bytes of a held job's output are lost: its log doesn't have them")
            tail.lost = 0
        return data
