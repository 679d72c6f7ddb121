"""A terminal's content by logical lines: a place in it that stands while rows wrap anew or scroll by.

Lines are numbered from the first that the terminal ever had: those that scrolled off, then those on the screen, where
a line may begin above and end on it. What is on the alternate screen are lines too, one a row, after all others.
"""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from engine.terminal.lines import Line, breaks, cells_of, join, line_text
from engine.terminal.reflow import flowing

if TYPE_CHECKING:
    from engine.terminal.screen import Screen


class Spot(NamedTuple):
    """A cell of a line."""

    line: int
    cell: int


class LogicalLines:
    """Looks at a screen and its scrollback; keeps nothing."""

    def __init__(self, screen: "Screen") -> None:
        self._screen = screen

    @property
    def columns(self) -> int:
        """The width at which lines wrap."""
        return self._screen.columns

    @property
    def first(self) -> int:
        """The oldest line of which all rows are kept."""
        return self._screen.scrollback.first_line

    @property
    def settled(self) -> int:
        """The first line that may still change: those before have left the screen for good."""
        back = self._screen.scrollback
        return back.end_line - self._joined

    @property
    def end(self) -> int:
        """The number after the last line, blank ones at the bottom of the screen included."""
        screen = self._screen
        return self.settled + sum(not row.wrap for row in screen.rows[:-1]) + 1

    @property
    def newest(self) -> int:
        """The line that the cursor is in."""
        screen = self._screen
        return self.settled + sum(not row.wrap for row in screen.rows[: screen.cursor.y])

    @property
    def _joined(self) -> int:
        """1 where the screen's first row goes on with the scrollback's last line, else 0."""
        back = self._screen.scrollback
        return int(back.open and not self._screen.alternate and back.end_line > back.dropped_lines)

    def line(self, number: int) -> Line:
        """A line by its number, whole."""
        back = self._screen.scrollback
        if number < back.end_line - self._joined:
            return back.line(number)
        rows = self._rows_on_screen(number)
        parts = [self._part(y) for y in rows]
        line = back.line(number) if self._joined and number == self.settled else None
        for part in parts:
            line = part if line is None else join(line, part)
        if line is None:
            raise IndexError(f"there is no line {number}")
        return line

    def between(self, first: int, end: int) -> Iterator[tuple[int, Line]]:
        """The lines from ``first`` up to ``end`` that are kept, with their numbers."""
        back = self._screen.scrollback
        number = max(first, back.dropped_lines)
        for line in islice(back.lines_from(number), max(0, min(end, self.settled) - number)):
            yield number, line
            number += 1
        for later in range(number, min(end, self.end)):
            yield later, self.line(later)

    def text(self, number: int) -> str:
        """A line's text, trailing blanks trimmed."""
        return line_text(self.line(number))

    def goes_on(self, number: int) -> bool:
        """Whether a line goes on in the next one: it is too long to be kept as one."""
        back = self._screen.scrollback
        return back.dropped_lines <= number < back.end_line and back.goes_on(number)

    def spot(self, row: int) -> Spot:
        """Where a row, by its absolute number, begins."""
        back = self._screen.scrollback
        if row < back.total:
            return Spot(*back.place(max(row, back.first)))
        return self.of_screen_row(min(row - back.total, self._screen.lines - 1))

    def of_screen_row(self, y: int) -> Spot:
        """Where a row of the screen, from 0, begins."""
        rows = self._screen.rows
        number = self.settled + sum(not row.wrap for row in rows[:y])
        first = y
        while first > 0 and rows[first - 1].wrap:
            first -= 1
        cell = sum(len(cells_of(self._part(at))) for at in range(first, y))
        if first == 0 and self._joined:
            cell += len(cells_of(self._screen.scrollback.line(number)))
        return Spot(number, cell)

    def row(self, spot: Spot) -> int:
        """The absolute number of the row that shows a spot; at the line's end for cells beyond it."""
        back = self._screen.scrollback
        cell = spot.cell
        if spot.line < back.end_line:
            line = back.line(spot.line)
            if spot.line < self.settled or cell < len(cells_of(line)):
                starts = breaks(line, self._screen.columns)
                return back.row_of(spot.line) + max(at for at, start in enumerate(starts) if start <= max(0, cell))
            cell -= len(cells_of(line))
        on_screen = self._rows_on_screen(spot.line)
        if not on_screen:
            return back.total + self._screen.lines - 1
        for y in on_screen[:-1]:
            size = len(cells_of(self._part(y)))
            if cell < size:
                return back.total + y
            cell -= size
        return back.total + on_screen[-1]

    def rows(self, number: int) -> range:
        """The rows of a line, by absolute number."""
        return range(self.row(Spot(number, 0)), self.row(Spot(number, 1 << 30)) + 1)

    def _rows_on_screen(self, number: int) -> range:
        rows = self._screen.rows
        at = self.settled
        first = 0
        for y, row in enumerate(rows):
            if not row.wrap or y == len(rows) - 1:
                if at == number:
                    return range(first, y + 1)
                at, first = at + 1, y + 1
        return range(0)

    def _part(self, y: int) -> Line:
        """What a row of the screen is of its line."""
        rows = self._screen.rows
        row = rows[y]
        if row.wrap and y + 1 < len(rows):
            return flowing(row, rows[y + 1], self._screen.columns)
        return row.line()
