"""A flooding terminal is read on while what came before is still being taken in.

The kernel hands a terminal's output from its writer to its reader 4 KiB at a time, one waking the other: while nobody
reads, nothing moves, however much room there is. Read between two turns of the engine's loop, a job that writes as
fast as it can would wait for all that the loop does.
"""

import threading
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.process.draught import Draught

_AHEAD = 8
"""Pieces that may wait to be taken in; then the job waits."""
_LINGER_SECONDS = 0.003
"""So long is waited for more when there is nothing: most floods go on, and to read by turns again costs more."""


class ReadAhead:
    """A thread that reads from `go` until there is nothing more for the moment, `stop` or `close`.

    Everything but the reading itself happens on the caller's thread. ``came`` is called on ours after each read, also
    one that found nothing: what there is, `take` gives.
    """

    def __init__(self, draught: "Draught", most: int, came: Callable[[], None]) -> None:
        """Read pieces of at most ``most`` bytes; the draught is ours to close."""
        self._draught = draught
        self._most = most
        self._came = came
        self._changed = threading.Condition()
        self._pieces: deque[bytes] = deque()
        self._wanted = False
        self._reading = False
        self._closed = False
        threading.Thread(target=self._run, name="jobdeck-read-ahead", daemon=True).start()

    @property
    def at_work(self) -> bool:
        """Is it reading, or is there something left to `take`?"""
        with self._changed:
            return self._wanted or self._reading or bool(self._pieces)

    @property
    def waiting(self) -> bool:
        """Is there something to `take` now?"""
        with self._changed:
            return bool(self._pieces)

    def go(self) -> None:
        """Read until there is nothing more for the moment."""
        with self._changed:
            self._wanted = True
            self._changed.notify_all()

    def stop(self) -> None:
        """Read no more. Waits for a read that has begun: it waits for the job 3 ms at most."""
        with self._changed:
            self._wanted = False
            self._changed.wait_for(lambda: not self._reading)

    def take(self) -> bytes:
        """The oldest piece; empty when there is none."""
        with self._changed:
            if not self._pieces:
                return b""
            self._changed.notify_all()
            return self._pieces.popleft()

    def close(self) -> None:
        """Read no more, ever; what wasn't taken is gone."""
        self.stop()
        with self._changed:
            self._closed = True
            self._pieces.clear()
            self._changed.notify_all()
        self._draught.close()

    def _run(self) -> None:
        while self._may_read():
            try:
                data = self._draught.read(self._most)
            except OSError:
                data = b""  # nothing now, or the terminal has no writer: both are the loop's to find out
            lingers = 0 < len(data) < self._most
            with self._changed:
                if data:
                    self._pieces.append(data)
                self._reading = lingers
                self._wanted = self._wanted and bool(data)
                self._changed.notify_all()
            self._came()
            if lingers:
                self._linger()

    def _linger(self) -> None:
        more = self._draught.more(_LINGER_SECONDS)
        with self._changed:
            self._reading = False
            self._wanted = self._wanted and more
            self._changed.notify_all()
        if not more:
            self._came()

    def _may_read(self) -> bool:
        with self._changed:
            self._changed.wait_for(lambda: self._closed or (self._wanted and len(self._pieces) < _AHEAD))
            self._reading = not self._closed
            return self._reading
