"""A pane's emulator: the stream's text in, rows by absolute number out."""

from collections.abc import Sequence

import pyte.modes

from engine.terminal import LogicalLines, Run, Screen, Stream
from tui.reading.arrivals import Arrivals


class Emulator:
    """A screen and its parser. Rows are numbered over the pane's whole life: scrollback first, then the screen."""

    def __init__(self, cols: int, rows: int, *, pty: bool, scrollback: int = 10_000) -> None:
        self.pty = pty
        self._scrollback = scrollback
        self.lines_gone = 0
        """Lines before the first that the engine no longer keeps."""
        self.approximate = False
        """A flood's newest picture, not what it would be cell for cell."""
        self.at_end = False
        """The job has ended and everything is shown."""
        self.fresh = 0
        """Counts fresh starts: row numbers of different ones have nothing to do with each other."""
        self._begin(cols, rows)

    def _begin(self, cols: int, rows: int) -> None:
        self.screen = Screen(max(1, cols), max(1, rows), self._scrollback)
        self.stream = Stream(self.screen)
        self.lines = LogicalLines(self.screen)
        self.arrivals = Arrivals()
        """When lines came."""
        self.fresh += 1
        if not self.pty:
            # A pipe's line feed has no terminal driver that adds the carriage return.
            self.screen.set_mode(pyte.modes.LNM)

    # What a feed asks for

    def start_afresh(self, cols: int, rows: int, prelude: str) -> None:
        """Forget everything and begin with an empty screen of this size."""
        if not self.pty:
            cols, rows = self.screen.columns, self.screen.lines
        self._begin(cols, rows)
        self.lines_gone = 0
        self.at_end = False
        self.stream.feed(prelude)

    def take_text(self, text: str) -> None:
        """The job wrote this."""
        self.stream.feed(text)

    def take_times(self, times: Sequence[tuple[int, float]]) -> None:
        """What comes next: after so many line feeds begins a line that came at that wall-clock time."""
        if not self.screen.alternate:
            newest = self.lines.newest
            for line_feeds, at in times:
                self.arrivals.add(newest + line_feeds, at)
            self.arrivals.drop_before(self.screen.scrollback.dropped_lines)

    def take_size(self, cols: int, rows: int) -> None:
        """The job's terminal has this size from here on."""
        if self.pty:
            self.screen.resize(max(1, rows), max(1, cols))

    def gone_before(self, lines: int) -> None:
        """A fresh start: so many lines came before it; the newest of them may be here, in its base."""
        self.lines_gone = max(0, lines - self.lines.newest)

    def set_approximate(self, flag: bool) -> None:
        """Is what is shown a flood's newest picture?"""
        self.approximate = flag

    def alternate(self) -> bool:
        """Is the alternate screen on?"""
        return self.screen.alternate

    def ended(self) -> None:
        """That was all: the job has ended."""
        self.at_end = True

    # What a view asks for

    def fit(self, cols: int, rows: int) -> None:
        """The view has this size. What has no size of its own takes it: a pipe's text, what an ended job has printed.

        A view not laid out yet has none.
        """
        sizeless = not self.pty or (self.at_end and not self.screen.alternate)
        if sizeless and cols > 0 and rows > 0:
            self.screen.resize(rows, cols)

    @property
    def first(self) -> int:
        """The number of the oldest row that is kept."""
        return self.screen.scrollback.first

    @property
    def total(self) -> int:
        """The number of the screen's top row."""
        return self.screen.scrollback.total

    @property
    def end(self) -> int:
        """The number after the last row."""
        return self.total + self.screen.lines

    def used_rows(self) -> int:
        """The screen's rows down to the last one that has text or the cursor."""
        lowest = self.screen.lines - 1
        while lowest > self.screen.cursor.y and not self.screen.text(lowest).strip():
            lowest -= 1
        return lowest + 1

    def runs(self, number: int) -> Sequence[Run]:
        """A row's runs; none for a row that isn't kept."""
        if number >= self.total:
            return self.screen.runs(number - self.total) if number < self.end else ()
        return self.screen.scrollback.runs(number) if number >= self.first else ()

    def text(self, number: int) -> str:
        """A row's text."""
        return "".join(text for text, _ in self.runs(number))

    def wrapped(self, number: int) -> bool:
        """Does this row go on in the next one?"""
        if number >= self.total:
            return number < self.end and self.screen.wrapped(number - self.total)
        return number >= self.first and self.screen.scrollback.wrapped(number)

    def screen_runs(self, row: int) -> Sequence[Run]:
        """The runs of a row counted from the screen's first, whatever its number; negative ones lie above it."""
        if row >= 0:
            return self.screen.runs(row) if row < self.screen.lines else ()
        return self.runs(self.total + row)

    def goes_on(self, row: int) -> bool:
        """Does this row, counted from the screen's first, go on from the one before it?"""
        if row > 0:
            return row <= self.screen.lines and self.screen.wrapped(row - 1)
        if row == 0:
            return self.screen.scrollback.open and not self.screen.alternate
        return self.wrapped(self.total + row - 1)

    def take_dirty(self) -> set[int]:
        """The screen's rows, from 0, that changed since the last call.

        Not their numbers: to tell those, every row that was never emulated has to be counted.
        """
        dirty = set(self.screen.dirty)
        self.screen.dirty.clear()
        return dirty
