"""A held job's input and terminal, as verbs see any job's: through its holder."""

from collections.abc import Callable

from engine.ownership.holding import frames
from engine.ownership.holding.frames import frame
from engine.process.stdin import JobInput, refuse_unless_room
from engine.process.terminal import Terminal


class HeldInput(JobInput):
    """What waits for the job waits at its holder, and outlives us. See `JobInput`.

    A socket takes some 200 KB at once; what is more than that is the holder's some milliseconds later.
    """

    def __init__(self, send: Callable[[bytes], None], limit: int, waiting: int) -> None:
        self.closed = False
        self._send = send
        self._limit = limit
        self._waiting = waiting
        self._ending = False

    def write(self, *parts: bytes) -> int:
        """See `JobInput`."""
        size = sum(map(len, parts))
        refuse_unless_room(self._waiting, size, self._limit, closed=self.closed or self._ending)
        for part in parts:
            self._send(frame(frames.INPUT, part))
        self._waiting += size
        return size

    def close(self) -> None:
        """See `JobInput`."""
        if not self._ending:
            self._ending = True
            self._send(frame(frames.END_INPUT))
        self.closed = self.closed or not self._waiting

    def taken(self, count: int) -> None:
        """The holder has written so much."""
        self._waiting -= count
        self.closed = self.closed or (self._ending and not self._waiting)


class HeldTerminal(Terminal):
    """The job's terminal through a descriptor of our own; its size is the holder's to set, who keeps it."""

    def __init__(self, pid: int, master: int, slave_name: str, send: Callable[[bytes], None]) -> None:
        super().__init__(pid, master, slave_name)
        self._send = send

    def resize(self, cols: int, rows: int) -> None:
        """See `Terminal`."""
        self._send(frame(frames.RESIZE, cols, rows))
