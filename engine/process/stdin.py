"""A job's standard input: queued, never blocking the engine (spec 1.6)."""

import asyncio
import contextlib
import os
from collections import deque
from typing import Protocol


class InputRefused(Exception):
    """Nothing was sent; the text says why and what to do. ``retry``: it may be taken once the job has read."""

    def __init__(self, text: str, *, retry: bool = False) -> None:
        super().__init__(text)
        self.retry = retry


class JobInput(Protocol):
    """What a job reads, as verbs see it."""

    closed: bool

    def write(self, *parts: bytes) -> int:
        """Send the parts in order, each in a write of its own; the bytes taken.

        Raises:
            InputRefused: The input is closed, or too much is waiting already.
        """

    def write_if_room(self, data: bytes) -> None:
        """Send what nobody waits for: dropped when the input is closed or full."""
        with contextlib.suppress(InputRefused):
            self.write(data)

    def close(self) -> None:
        """Close it once all that waits is written."""


def refuse_unless_room(waiting: int, size: int, limit: int, *, closed: bool) -> None:
    """Raise `InputRefused` if ``size`` bytes more can't be taken."""
    if closed:
        raise InputRefused("the job's stdin is closed: it takes no more input")
    if waiting + size > limit:
        raise InputRefused(
            f"the job is not reading: {waiting:,} bytes of input wait already and {size:,} more would pass "
            f"{limit:,}; wait until it reads, or kill it",
            retry=True,
        )


class StdinQueue(JobInput):
    """Writes to one descriptor as the child reads; at most ``limit`` bytes wait."""

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int, limit: int, *, owned: bool) -> None:
        self._loop = loop
        self._descriptor = descriptor
        self._limit = limit
        self._owned = owned
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._close_when_empty = False
        self._held = False
        self.closed = False
        os.set_blocking(descriptor, False)

    def write(self, *parts: bytes) -> int:
        """See `JobInput`."""
        size = sum(map(len, parts))
        refuse_unless_room(self._size, size, self._limit, closed=self.closed or self._close_when_empty)
        self._waiting.extend(part for part in parts if part)
        self._size += size
        self._flush()
        return size

    def close(self) -> None:
        """See `JobInput`."""
        self._close_when_empty = True
        self._flush()

    def hold(self) -> None:
        """Send nothing until `release`."""
        self._held = True

    def release(self, first: bytes) -> None:
        """Send this, then all that waits."""
        if self.closed:
            return
        self._held = False
        self._waiting.appendleft(first)
        self._size += len(first)
        self._flush()

    def discard(self) -> None:
        """The child is gone: forget what waits. The descriptor is closed only if it is ours, not a terminal's."""
        self._waiting.clear()
        self._size = 0
        if not self.closed:
            self.closed = True
            self._loop.remove_writer(self._descriptor)
            if self._owned:
                os.close(self._descriptor)

    def _flush(self) -> None:
        if self._held:
            return
        while self._waiting:
            part = self._waiting[0]
            try:
                sent = os.write(self._descriptor, part)
            except (BlockingIOError, InterruptedError):
                self._loop.add_writer(self._descriptor, self._flush)
                return
            except OSError:  # nobody reads any more
                self.discard()
                return
            self._size -= sent
            if sent < len(part):
                self._waiting[0] = part[sent:]
            else:
                self._waiting.popleft()
        self._loop.remove_writer(self._descriptor)
        if self._close_when_empty:
            self.discard()
