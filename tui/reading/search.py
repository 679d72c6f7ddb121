"""A search through a pane's lines: all matches counted, a slice at a time; one of them is the current one.

Lines that have left the screen never change: each is looked at once. Those on the screen are looked at when asked.
"""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from engine.terminal import LogicalLines, Spot
from tui.reading.pattern import Finds, Span, Wanted, Wrong, compile_wanted

_GRAIN = 64
"""Lines between two looks at the clock."""
_KEPT = 4_000
"""Lines whose matches are kept at hand."""


class Search:
    """One pane's. Empty text searches for nothing."""

    def __init__(self, lines: Callable[[], LogicalLines]) -> None:
        self._lines = lines
        self.wanted = Wanted()
        self.wrong = ""
        """Why it can't be searched for."""
        self.wrapped = False
        """The last step went round from one end to the other."""
        self.looked_at = 0
        """How many lines that have left the screen were ever looked at."""
        self._finds: Finds | None = None
        self._at = Spot(-1, 0)
        """Where the current match begins; line -1: there is none."""
        self._alive: list[tuple[int, list[Span]]] | None = None
        self._restart()

    def _restart(self) -> None:
        self._alive = None
        self._next = 0
        self._numbers: list[int] = []
        """Settled lines that match, in order."""
        self._sums: list[int] = [0]
        """How many matches there are before each of them, and in all."""
        self._spans: dict[int, list[Span]] = {}

    @property
    def active(self) -> bool:
        """Is anything searched for?"""
        return self._finds is not None

    def seek(self, wanted: Wanted) -> None:
        """Search for this from now on."""
        if wanted == self.wanted:
            return
        self.wanted, self.wrong, self.wrapped = wanted, "", False
        self._finds = None
        self._at = Spot(-1, 0)
        self._restart()
        if wanted.text:
            try:
                self._finds = compile_wanted(wanted)
            except Wrong as error:
                self.wrong = str(error)

    def start_afresh(self) -> None:
        """The terminal has started afresh: its lines are others."""
        self._at = Spot(-1, 0)
        self._restart()

    def changed(self) -> None:
        """The terminal has taken something in, or has another size."""
        self._alive = None

    # Counting

    @property
    def behind(self) -> bool:
        """Are there lines that have left the screen and weren't looked at?"""
        return self._finds is not None and self._next < self._lines().settled

    def step(self, seconds: float) -> bool:
        """Look at lines for so long at most, in CPU time. True: there are more."""
        self.changed()
        finds, lines = self._finds, self._lines()
        if finds is None:
            return False
        settled = lines.settled
        if self._next > settled:  # lines went back to the screen
            self._cut_to(settled)
        self._next = max(self._next, lines.first)
        ends = time.thread_time() + seconds
        for number, line in lines.between(self._next, settled):
            found = len(finds(line))
            if found:
                self._numbers.append(number)
                self._sums.append(self._sums[-1] + found)
            self._next = number + 1
            self.looked_at += 1
            if number % _GRAIN == 0 and time.thread_time() >= ends:
                break
        return self._next < settled

    def _cut_to(self, settled: int) -> None:
        keep = bisect_left(self._numbers, settled)
        del self._numbers[keep:], self._sums[keep + 1 :]
        self._next = settled
        self._spans = {number: spans for number, spans in self._spans.items() if number < settled}

    def _forget_dropped(self) -> int:
        """How many of the numbered lines are no longer kept; they are let go when they are many."""
        gone = bisect_left(self._numbers, self._lines().first)
        if gone > _KEPT:
            del self._numbers[:gone], self._sums[:gone]
            gone = 0
        return gone

    @property
    def total(self) -> int:
        """How many matches are known."""
        gone = self._forget_dropped()
        return self._sums[-1] - self._sums[gone] + sum(len(spans) for _, spans in self._living())

    @property
    def place(self) -> int:
        """Which of them is the current one, from 1; 0 where there is none."""
        line = self._at.line
        if line < self._lines().first:
            return 0
        gone = self._forget_dropped()
        spans = self.spans(line)
        within = bisect_right([start for start, _ in spans], self._at.cell)
        if line < self._next:
            return self._sums[bisect_left(self._numbers, line)] - self._sums[gone] + within
        before = sum(len(more) for number, more in self._living() if number < line)
        return self._sums[-1] - self._sums[gone] + before + within

    def _living(self) -> list[tuple[int, list[Span]]]:
        """The lines from the first that may still change on, and their matches."""
        finds, lines = self._finds, self._lines()
        if finds is None:
            return []
        if self._alive is None:
            found = ((number, finds(line)) for number, line in lines.between(lines.settled, lines.end))
            self._alive = [(number, spans) for number, spans in found if spans]
        return self._alive

    # Where they are

    def spans(self, number: int) -> list[Span]:
        """The matches in a line."""
        finds, lines = self._finds, self._lines()
        if finds is None or not lines.first <= number < lines.end:
            return []
        if number >= lines.settled:
            return next((spans for alive, spans in self._living() if alive == number), [])
        spans = self._spans.get(number)
        if spans is None:
            if len(self._spans) > _KEPT:
                self._spans.clear()
            spans = self._spans[number] = finds(lines.line(number))
        return spans

    def in_row(self, start: Spot, width: int) -> Sequence[tuple[int, int, bool]]:
        """The columns of the matches in a row of this width that begins at ``start``, and whether each is the one."""
        spans = self.spans(start.line)
        if not spans:
            return ()
        low, high = start.cell, start.cell + width
        current = self._at.cell if start.line == self._at.line else -1
        return [
            (max(first, low) - low, min(last, high) - low, first == current)
            for first, last in spans
            if first < high and last > low
        ]

    @property
    def at(self) -> Spot | None:
        """Where the current match begins."""
        return self._at if self._at.line >= self._lines().first else None

    def choose(self, top: Spot, end: Spot, *, newest: bool) -> Spot | None:
        """Make one the current one: the newest before ``end``, or the first from ``top`` on; else the nearest."""
        if self._finds is None:
            return None
        self._at = Spot(end.line, end.cell) if newest else Spot(top.line, top.cell - 1)
        found = self.go(-1 if newest else 1)
        self.wrapped = False
        return found

    def go(self, by: int) -> Spot | None:
        """Make the next one the current one, or with -1 the one before; round at the ends. None: there is none."""
        lines = self._lines()
        if self._at.line < 0:
            self._at = Spot(lines.end, 0) if by < 0 else Spot(lines.first, -1)
        found = self._beside(self._at, by)
        self.wrapped = found is None
        if found is None:
            found = self._beside(Spot(lines.first, -1) if by > 0 else Spot(lines.end, 0), by)
        self._at = found or Spot(-1, 0)
        return found

    def _beside(self, at: Spot, by: int) -> Spot | None:
        starts = [start for start, _ in self.spans(at.line)]
        if by > 0:
            place = bisect_right(starts, at.cell)
            if place < len(starts):
                return Spot(at.line, starts[place])
        else:
            place = bisect_left(starts, at.cell)
            if place > 0:
                return Spot(at.line, starts[place - 1])
        number = self._line_beside(at.line, by)
        if number is None:
            return None
        spans = self.spans(number)
        return Spot(number, spans[0 if by > 0 else -1][0])

    def _line_beside(self, line: int, by: int) -> int | None:
        """The nearest line with a match after ``line``, or before it."""
        lines = self._lines()
        living = [number for number, _ in self._living()]
        settled = self._numbers
        if by > 0:
            after = bisect_right(settled, line)
            after = max(after, bisect_left(settled, lines.first))
            if after < len(settled):
                return settled[after]
            return next((number for number in living if number > line), None)
        found = next((number for number in reversed(living) if number < line), None)
        if found is not None:
            return found
        before = bisect_left(settled, line) - 1
        return settled[before] if before >= 0 and settled[before] >= lines.first else None
