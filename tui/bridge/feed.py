"""What one pane has been sent and not yet taken in, and how it is taken in, slice by slice."""

import time
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from engine.replay import Chunk, OutputEnd, Replay, SizeMark, StreamItem, TimeMark
from engine.terminal import newest_reset

FLOOD_SECONDS = 0.03
"""If what is left of an item would take more CPU seconds, it is passed over but for its newest picture: taken in with a
share of the time, frame by frame, it would be old before it is painted."""
KNOWN_CHARS = 65_536
"""So many characters tell how fast the job's kind of output is taken in; what came before counts ever less."""
NEWEST_CHARS = 32_768
"""What is taken in of a flood that has no point at which its picture begins anew."""


class Terminal(Protocol):
    """What a feed writes to: a pane's emulator."""

    def start_afresh(self, cols: int, rows: int, prelude: str) -> None:
        """Forget everything and begin with an empty screen of this size, set up by ``prelude``."""

    def take_text(self, text: str) -> None:
        """The job wrote this."""

    def take_times(self, times: Sequence[tuple[int, float]]) -> None:
        """What comes next: after so many line feeds begins a line that came at that wall-clock time."""

    def take_size(self, cols: int, rows: int) -> None:
        """The job's terminal has this size from here on."""

    def gone_before(self, lines: int) -> None:
        """A fresh start: this many lines before it are no longer kept."""

    def alternate(self) -> bool:
        """Is the alternate screen on?"""

    def set_approximate(self, flag: bool) -> None:
        """Is what is shown the newest picture of a flood, not what it would be cell for cell?"""

    def ended(self) -> None:
        """That was all: the job has ended."""

    def being_read(self) -> bool:
        """Has somebody scrolled up, so that a fresh start would take away what is being read?"""


class Feed:
    """Stream items in, slices of text out to a terminal, in order, with size marks at their positions."""

    def __init__(self, terminal: Terminal, *, patient: bool = False) -> None:
        self._terminal = terminal
        self.patient = patient
        """Take in the first item whole, however long that takes: it makes an approximate picture exact."""
        self.approximate = False
        """Something was passed over since the last fresh start."""
        self.behind = False
        """What is taken in began afresh, because more had come than the engine keeps."""
        self._spent = 0.0
        self._taken = 0.0
        self._items: deque[StreamItem] = deque()
        self._text = ""
        self._offset = 0
        self._start = 0
        self._marks: deque[SizeMark] = deque()
        self._times: deque[TimeMark] = deque()
        self._in_line = False
        """What was taken in last ended within a line."""
        self.position: int | None = None
        """The position after the last character taken in; None before the first replay."""

    @property
    def waiting(self) -> bool:
        """Is there anything to take in now?"""
        return self._in_midst or (bool(self._items) and not self.held)

    @property
    def held(self) -> bool:
        """Does the next item wait until nobody reads, because it begins with a fresh start?

        Nothing piles up meanwhile: what isn't taken in earns no credit for more.
        """
        return (
            bool(self._items) and not self._in_midst and _starts_afresh(self._items[0]) and self._terminal.being_read()
        )

    @property
    def _in_midst(self) -> bool:
        return self._offset < len(self._text) or bool(self._marks)

    def put(self, item: StreamItem) -> None:
        """Take a delivered item; it waits for its turn."""
        self._items.append(item)

    def clear(self) -> None:
        """Drop what waits: `position` stays where the terminal really is."""
        self._items.clear()
        self._marks.clear()
        self._times.clear()
        self._text, self._offset = "", 0

    def step(self, limit: int) -> bool:
        """Take in at most about ``limit`` characters. True: an item has now been taken in whole."""
        if not self._in_midst:
            if not self._items or self.held:
                return False
            self._open(self._items.popleft())
        self._apply_marks()
        if self._offset < len(self._text):
            end = min(len(self._text), self._offset + limit)
            if self._marks:
                end = min(end, self._marks[0].position - self._start)
            if self._times:
                self._tell_times(end)
            began = time.thread_time()
            self._terminal.take_text(self._text[self._offset : end])
            self._measure(end - self._offset, time.thread_time() - began)
            self._offset = end
            self.position = self._start + end
            if not self.patient:
                self._pass_over()
        if self._offset < len(self._text):
            return False
        self._apply_marks(everything=True)
        if self._text:
            self._in_line = not self._text.endswith("\n")
        self._text, self._offset = "", 0
        self._times.clear()
        self.patient = False
        return True

    def _open(self, item: StreamItem) -> None:
        match item:
            case OutputEnd():
                self._terminal.ended()
                return
            case Chunk():
                text = item.text
                self.behind = self.behind and len(text) > NEWEST_CHARS
            case Replay():
                text = "".join(item.pieces)
                self.behind = self.position is not None and item.base is not None
                if item.base is not None:
                    self._terminal.start_afresh(item.base.cols, item.base.rows, item.base.prelude)
                    self._terminal.gone_before(item.dropped_lines)
                    self._in_line = False
                    self._mark_approximate(False)
                    self._terminal.set_approximate(item.approximate)
        self._text, self._offset, self._start = text, 0, item.start
        self._marks.extend(mark for mark in item.marks if isinstance(mark, SizeMark))
        self._times.extend(mark for mark in item.marks if isinstance(mark, TimeMark))
        self.position = item.start

    def _measure(self, chars: int, seconds: float) -> None:
        fades = max(0.0, 1 - chars / KNOWN_CHARS) if self._taken >= KNOWN_CHARS else 1.0
        self._taken, self._spent = self._taken * fades + chars, self._spent * fades + seconds

    def _pass_over(self) -> None:
        """Go on at the newest picture if what is left would take too long."""
        left = len(self._text) - self._offset
        if left <= NEWEST_CHARS or self._taken < KNOWN_CHARS or left * self._spent < FLOOD_SECONDS * self._taken:
            return
        found = newest_reset(self._text[self._offset :], self._terminal.alternate())
        start = found[0] if found is not None else left - NEWEST_CHARS
        start = max(start, left - 8 * NEWEST_CHARS)
        self._offset += start
        self.position = self._start + self._offset
        self._apply_marks()
        passed = None
        while self._times and self._times[0].position <= self.position:
            passed = self._times.popleft()
        if passed is not None:
            self._times.appendleft(TimeMark(self.position, passed.at))
        if found is not None:
            self._terminal.take_text("\x18\x1b[?1049h\x1b[H\x1b[2J" if found[1] else "\x18")
        else:
            self._terminal.take_text("\x18\x1b[m\r\n")
        self._mark_approximate(True)

    def _tell_times(self, end: int) -> None:
        """The times in what is taken in next, by the lines that begin there."""
        text, at, line_feeds = self._text, self._offset, 0
        times: list[tuple[int, float]] = []
        while self._times and self._times[0].position < self._start + end:
            mark = self._times.popleft()
            place = max(at, mark.position - self._start)
            line_feeds += text.count("\n", at, place)
            at = place
            in_line = text[place - 1] != "\n" if place else self._in_line
            times.append((line_feeds + in_line, mark.at))
        if times:
            self._terminal.take_times(times)

    def _mark_approximate(self, flag: bool) -> None:
        self.approximate = flag
        self._terminal.set_approximate(flag)

    def _apply_marks(self, *, everything: bool = False) -> None:
        while self._marks and (everything or self._marks[0].position <= self._start + self._offset):
            mark = self._marks.popleft()
            self._terminal.take_size(mark.cols, mark.rows)


def _starts_afresh(item: StreamItem) -> bool:
    return isinstance(item, Replay) and item.base is not None
