"""Blocks of the scrollback: some lines, at rest or still raw, and how many rows they make."""

from bisect import bisect_right
from typing import Any, Protocol

from engine.terminal.lines import Line, breaks, cells_of


class Deferred(Protocol):
    """Raw output that stands for lines."""

    columns: int
    count: int
    """How many lines it holds."""

    def extend(self, other: Any) -> bool:
        """Take lines that follow as well, if that can be."""

    def rows(self, columns: int) -> int | None:
        """How many rows it makes at this width, if that can be told without making them."""

    def lines(self) -> list[Line]:
        """Make the lines."""


class Block:
    """Some lines, in order; ``raw`` until they are needed."""

    __slots__ = ("_index", "_lines", "_rows", "raw", "soft", "weight")

    def __init__(self, raw: Deferred | None = None) -> None:
        self.raw = raw
        self.soft: set[int] = set()
        """Lines that go on in the next one although they are kept apart."""
        self.weight = raw.count if raw else 0
        """About how many rows it had when they were new: what the bound counts, whatever the width is now."""
        self._lines: list[Line] = []
        self._rows: int | None = None if raw else 0
        self._index: list[int] | None = None

    @property
    def lines(self) -> list[Line]:
        """The lines; expands them when they are raw."""
        if self.raw is not None:
            self._lines = self.raw.lines()
            self.raw = None
        return self._lines

    @property
    def count(self) -> int:
        """How many lines it has; expands nothing."""
        return self.raw.count if self.raw is not None else len(self._lines)

    @property
    def size(self) -> int:
        """Rows as far as they are counted already, else lines."""
        if self._rows is not None:
            return self._rows
        return self.count

    def rows(self, columns: int) -> int:
        """How many rows it makes at this width."""
        if self._rows is None and self.raw is not None:
            self._rows = self.raw.rows(columns)
            if columns == self.raw.columns:
                self.weight = max(self.weight, self._rows or 0)
        if self._rows is None:
            self._rows = sum(len(breaks(line, columns)) for line in self.lines)
        return self._rows

    def grown(self) -> None:
        """A line of one row was added, or the last line grew by a row."""
        self.weight += 1
        if self._rows is not None:
            self._rows += 1
        self._index = None

    def gained(self, raw: Deferred) -> None:
        """Raw lines were added."""
        rows = raw.rows(raw.columns) if self._rows is not None else None
        self._rows = None if rows is None or self._rows is None else self._rows + rows
        self.weight += raw.count
        self._index = None

    def forget(self) -> None:
        """The width or the lines changed: count anew."""
        self._rows = self._index = None

    def _firsts(self, columns: int) -> list[int]:
        """Each line's first row."""
        if self._index is None:
            self._index = []
            at = 0
            for line in self.lines:
                self._index.append(at)
                at += 1 if len(cells_of(line)) <= columns else len(breaks(line, columns))
        return self._index

    def row_of(self, number: int, columns: int) -> int:
        """The first row of a line; expands nothing where each line is a row."""
        return number if self._rows == self.count else self._firsts(columns)[number]

    def place(self, row: int, columns: int) -> tuple[int, int]:
        """The line that a row is part of, and the row's first column in it; expands nothing where each is a row."""
        if self._rows == self.count:
            return row, 0
        index = self._firsts(columns)
        number = bisect_right(index, row) - 1
        return number, breaks(self.lines[number], columns)[row - index[number]]

    def find(self, row: int, columns: int) -> tuple[Line, int, int, bool]:
        """A row's line, the columns of it that the row spans, and whether it goes on in the next row."""
        lines, index = self.lines, self._firsts(columns)
        number = bisect_right(index, row) - 1
        line = lines[number]
        starts = breaks(line, columns)
        part = row - index[number]
        last = part + 1 == len(starts)
        return (
            line,
            starts[part],
            len(cells_of(line)) if last else starts[part + 1],
            not last or number in self.soft,
        )
