"""A held job's streams: its output into the log and on to the engine, its input as it reads. Standard library only."""

import os
import time
from collections.abc import Callable

from engine.ownership.holding import frames
from engine.ownership.holding.child import Child
from engine.ownership.holding.frames import frame
from engine.ownership.holding.log import Log
from engine.ownership.holding.loop import READ, WRITE, Loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engine.output.questions import Responder

_READ_BYTES = 65_536
_BEHIND_BYTES = 1 << 20
"""So far may an engine be behind: then the job waits, as it would for any reader."""
_DRAIN_BYTES = 1 << 20
_REOPEN_SECONDS = 0.1
_DISK_SECONDS = 1.0


class Streams:
    """Owns the log; ``say`` sends a frame to the engine, if there is one."""

    def __init__(self, loop: Loop, child: Child, log: Log, say: Callable[[bytes], None]) -> None:
        self.log = log
        self.seen = 0
        """Up to this byte an engine has taken in the output."""
        self.looked = -1
        """Up to this character somebody has looked at it; -1: nobody does."""
        self._loop = loop
        self._child = child
        self._say = say
        self._attended = True
        """There is an engine."""
        self._announced = 0
        self._in_flight = False
        self._questions: Responder | None = None
        self._trouble = ""
        self.listen()

    # -- the engine comes and goes ------------------------------------------------------------------------------------

    def attend(self) -> None:
        """A new engine has been told how far the log goes, and will say from where it reads: until then all is kept."""
        self._attended = True
        self._announced = self.log.written
        self._in_flight = True
        self.log.guard(self.log.start)

    def leave(self) -> None:
        """Nobody is there any more."""
        self._attended = self._in_flight = False
        self.log.guard(None)
        if self._child.status is not None:
            self.close()
            return
        if self._child.slave_name and self.seen < self.log.end:
            self._answer(self.log.read(self.seen, self.log.end).decode("utf-8", "replace"))
        self.listen()

    def saw(self, byte: int, looked: int) -> None:
        """The engine has taken in the output up to there."""
        self.looked = looked
        self.seen = min(max(byte, 0), self.log.end)
        self.log.guard(self.seen)
        self._in_flight = False
        self._announced = max(self._announced, self.seen)
        self._announce()
        self.listen()

    def _announce(self) -> None:
        """Tell the engine of what there is, unless it still reads what it was told of."""
        log = self.log
        if not self._attended or self._in_flight or log.end <= self._announced:
            return
        self._in_flight = True
        if self._announced < log.written:
            self._announced = log.written
            self._say(frame(frames.MORE, log.written))
        else:
            self._hand_over_unwritten()

    def _hand_over_unwritten(self) -> None:
        log = self.log
        start = max(self._announced, log.written)
        if start < log.end:
            self._announced = log.end
            self._say(frame(frames.DATA, start, bytes(log.unwritten[start - log.written :])))

    # -- output -------------------------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Be told when the job has written, unless the engine is too far behind, and when it takes input that waits."""
        child, waits = self._child, self._child.input
        behind = self._attended and self.log.end - self.seen >= _BEHIND_BYTES
        reads = 0 if behind or self._loop.waits(self.listen) else READ
        writes = WRITE if waits is not None and waits.size and not waits.closed else 0
        if waits is not None and waits.descriptor != child.output and not waits.closed:
            self._loop.watch(waits.descriptor, writes, self._takes_input)
            writes = 0
        if child.output >= 0:
            self._loop.watch(child.output, reads | writes, self._ready)

    def drain(self) -> None:
        """Take what is ready now, at most a megabyte, however far the engine is."""
        self.read(_DRAIN_BYTES)
        if self._attended:
            self._hand_over_unwritten()

    def _ready(self, events: int) -> None:
        if events & WRITE:
            self._takes_input(events)
        if events & READ:
            self.read()

    def read(self, most: int = _READ_BYTES) -> None:
        """Into the log, and on to the engine."""
        child = self._child
        if child.output < 0:
            return
        try:
            data = child.read(most)
        except OSError:  # nobody has the terminal open: of its being opened again no readiness tells
            data = b""
            if child.status is not None:
                self._loop.unwatch(child.output)
                return
            self._loop.later(_REOPEN_SECONDS, self.listen)
        if data is None:
            self._loop.unwatch(child.output)
            if child.input is None or child.input.descriptor != child.output:
                os.close(child.output)
                child.output = -1
            return
        if data:
            self._take(data)
        self.listen()

    def _take(self, data: bytes) -> None:
        text = self.log.append(data, time.time())
        if self.log.failure:
            self.tell_trouble(f"a job's output can't be kept: {self.log.failure}")
            self._loop.later(_DISK_SECONDS, self._retry_disk)
        else:
            self._trouble = ""
        if not self._attended:
            self._answer(text)
        self._announce()

    def _retry_disk(self) -> None:
        self.log.retry(time.time())
        if self.log.failure:
            self._loop.later(_DISK_SECONDS, self._retry_disk)

    def _answer(self, text: str) -> None:
        """Nobody else is there to answer what a program asks its terminal: what needs no state is answered here."""
        child = self._child
        if not child.slave_name or child.input is None:
            return
        if self._questions is None:
            if "\x1b" not in text:
                return
            from engine.output.questions import Responder

            self._questions = Responder()
        answers = self._questions.feed(text, self.log.cols, self.log.rows)
        if answers:
            child.input.add(answers.encode())
            self.listen()

    def close(self) -> None:
        """Read no more, and take no more input."""
        child = self._child
        for descriptor in {child.output, child.input.descriptor if child.input is not None else -1} - {-1}:
            self._loop.unwatch(descriptor)
        child.close_output()

    # -- input and size -----------------------------------------------------------------------------------------------

    def give(self, data: bytes) -> None:
        """Input, in a write of its own."""
        if self._child.input is not None:
            self._took(self._child.input.add(data))

    def end_input(self) -> None:
        """Close it once all that waits is written."""
        if self._child.input is not None:
            self._child.input.end()
            self._took(0)

    def _takes_input(self, _events: int) -> None:
        if self._child.input is not None:
            self._took(self._child.input.flush())

    def _took(self, count: int) -> None:
        """So much input is written; what waits is written when the job reads."""
        waits = self._child.input
        if count:
            self._say(frame(frames.TAKEN, count))
        if waits is not None and waits.closed:
            self._say(frame(frames.INPUT_CLOSED))
            if waits.descriptor != self._child.output:
                self._loop.unwatch(waits.descriptor)
        self.listen()

    def resize(self, cols: int, rows: int) -> None:
        """Set the terminal's size, and mark it in the log."""
        try:
            self._child.resize(cols, rows)
        except OSError:
            return  # its terminal is gone
        self.log.resize(cols, rows)

    def tell_trouble(self, text: str) -> None:
        """Once, as long as it stays the same."""
        if text != self._trouble:
            self._trouble = text
            self._say(frame(frames.TROUBLE, text.encode()))
