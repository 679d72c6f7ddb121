"""What has scrolled off the top of the main screen: logical lines, wrapped when somebody looks.

Lines lie in blocks. A block is either lines at rest or raw output that was never emulated (see ``deferral``);
the latter knows how to make its lines. Rows have absolute numbers that never shift while the width stays.
"""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Final

from engine.terminal.blocks import Block, Deferred
from engine.terminal.lines import Line, Run, breaks, cells_of, cut, join, line_runs, line_text
from engine.terminal.pens import DEFAULT
from engine.terminal.rows import Row

_BLOCK: Final = 256
"""Lines a block holds."""
_HEAVY: Final = 1024
"""Rows from which on a block takes no further line."""
_LONGEST: Final = 10_000
"""Cells (or 100 rows) joined to one logical line; a job that never ends its line gets it in such parts."""


class Scrollback:
    """Rows that scrolled off, by absolute number; bounded, trimmed from the oldest."""

    def __init__(self, limit: int, columns: int) -> None:
        self.limit = limit
        """Rows kept at most."""
        self.columns = columns
        self.open = False
        """The newest line goes on in the first row of the screen."""
        self.rejoined = False
        """The line that was popped last goes on in what came after it."""
        self.dropped_lines = 0
        """Lines that were trimmed away."""
        self._short = False
        self._apart = False
        self._blocks: deque[Block] = deque()
        self._tail = Block()
        self._base = 0
        self._total: int | None = None
        self._found: tuple[int, int, Block] | None = None
        """The block that was read last, and which rows it has."""

    def __len__(self) -> int:
        return self.total - self.first

    @property
    def total(self) -> int:
        """The absolute number after the newest row."""
        if self._total is None:
            columns = self.columns
            self._total = self._base + sum(block.rows(columns) for block in self._blocks)
        return self._total

    @property
    def uncounted(self) -> bool:
        """Rows have come since they were counted last: the next question for a number counts them."""
        return self._total is None

    @property
    def first(self) -> int:
        """The absolute number of the oldest row still kept."""
        return max(self._base, self.total - self.limit)

    @property
    def joinable(self) -> bool:
        """Whether the newest line is to be joined with the first row of the screen."""
        return self.open and not self._apart

    def runs(self, n: int) -> list[Run]:
        """Row ``n`` as runs, trailing default blanks trimmed."""
        line, start, end, _ = self._find(n)
        return line_runs(line if end - start == len(cells_of(line)) else cut(line, start, end))

    def text(self, n: int) -> str:
        """The text of row ``n``, trailing blanks trimmed."""
        line, start, end, _ = self._find(n)
        return line_text(cut(line, start, end))

    def wrapped(self, n: int) -> bool:
        """Whether row ``n`` continues on the next one."""
        _, _, _, more = self._find(n)
        return more or (self.open and n == self.total - 1)

    def _find(self, n: int) -> tuple[Line, int, int, bool]:
        if not self.first <= n < self.total:
            raise IndexError(f"row {n} is not in the scrollback ({self.first} to {self.total})")
        if self._found is not None and self._found[0] <= n < self._found[1]:
            return self._found[2].find(n - self._found[0], self.columns)
        end = self.total
        for block in reversed(self._blocks):
            start = end - block.rows(self.columns)
            if n >= start:
                self._found = (start, end, block)
                return block.find(n - start, self.columns)
            end = start
        raise IndexError(n)

    def _changed(self) -> None:
        self._total = self._found = None

    def lines(self) -> Iterator[Line]:
        """All kept lines, oldest first; more than ``limit`` rows may come, by less than a block."""
        for block in list(self._blocks):
            yield from block.lines

    # By the numbers of lines, which stand while the width changes

    @property
    def end_line(self) -> int:
        """The number after the newest line, counted from the first that ever scrolled off."""
        return self.dropped_lines + sum(block.count for block in self._blocks)

    @property
    def first_line(self) -> int:
        """The number of the oldest line of which all rows are kept."""
        if not self._blocks:
            return self.dropped_lines
        line, start = self.place(self.first)
        return line + (start > 0)

    def line(self, number: int) -> Line:
        """A line by its number."""
        at = number - self.dropped_lines
        for block in self._blocks:
            if 0 <= at < block.count:
                return block.lines[at]
            at -= block.count
        raise IndexError(f"line {number} is not in the scrollback")

    def lines_from(self, number: int) -> Iterator[Line]:
        """The lines from this number on, in order, as far as they are kept."""
        at = number - self.dropped_lines
        for block in list(self._blocks):
            if at < block.count:
                yield from islice(block.lines, max(0, at), None)
            at -= block.count

    def goes_on(self, number: int) -> bool:
        """Whether a line goes on in the next one: it is too long to be kept as one."""
        at = number - self.dropped_lines
        for block in self._blocks:
            if at < block.count:
                return at in block.soft
            at -= block.count
        return False

    def place(self, n: int) -> tuple[int, int]:
        """The line that row ``n`` is part of, and the row's first column in it."""
        if not self.first <= n < self.total:
            raise IndexError(f"row {n} is not in the scrollback ({self.first} to {self.total})")
        end, line = self.total, self.end_line
        for block in reversed(self._blocks):
            start = end - block.rows(self.columns)
            line -= block.count
            if n >= start:
                number, column = block.place(n - start, self.columns)
                return line + number, column
            end = start
        raise IndexError(n)

    def row_of(self, number: int) -> int:
        """The absolute number of a line's first row; it may lie before ``first``."""
        row, line = self.total, self.end_line
        for block in reversed(self._blocks):
            row -= block.rows(self.columns)
            line -= block.count
            if number >= line:
                return row + block.row_of(number - line, self.columns)
        raise IndexError(f"line {number} is not in the scrollback")

    def push(self, row: Row) -> None:
        """Take the row that scrolls off the top of the screen."""
        self._total = self._found = None
        tail = self._tail
        if not self.open and row.chars is None and not row.wrap:
            if self.limit == 0:
                self._base += 1
                return
            lines = tail.lines
            if len(lines) >= _BLOCK or not self._blocks or self._blocks[-1] is not tail:
                tail = self._new_tail()
                lines = tail.lines
            lines.append(row.text.rstrip(" ") if row.spans is None and row.pen is DEFAULT else row.line())
            tail.grown()
            return
        self._push_slow(row)

    def _push_slow(self, row: Row) -> None:
        joined = self.open
        if row.chars is None and row.spans is None and row.pen is DEFAULT:
            line: Line = row.text[: row.wrap].ljust(row.wrap) if row.wrap else row.text.rstrip(" ")
        else:
            line = row.wrapped_line() if row.wrap else row.line(1 if joined else 0)
        if joined and not cells_of(line):
            line = " "  # An empty row that a line wrapped into is a row still.
        if joined and self._short and not (row.wide and row.chars is not None and row.chars[1:2] == [""]):
            # The row before ended a column early for a wide character that is no longer there.
            line = join(" ", line)
        self.open = row.wrap > 0
        self._short = 0 < row.wrap < self.columns
        if self.limit == 0:
            self._base += 1
            return
        tail = self._tail
        if not self._blocks or self._blocks[-1] is not tail:
            tail = self._new_tail()
            joined = False
        lines = tail.lines
        apart, self._apart = self._apart, False
        if joined and lines:
            if not apart and len(cells_of(lines[-1])) < max(_LONGEST, 100 * self.columns):
                lines[-1] = join(lines[-1], line)
                tail.grown()
                return
            tail.soft.add(len(lines) - 1)
        if len(lines) >= _BLOCK or tail.weight >= _HEAVY:
            tail = self._new_tail()
        tail.lines.append(line)
        tail.grown()

    def _new_tail(self) -> Block:
        self._tail = Block()
        self._blocks.append(self._tail)
        self._trim()
        return self._tail

    def defer(self, raw: Deferred) -> None:
        """Take raw output that begins and ends with whole lines."""
        self._changed()
        if self.limit == 0:
            self._base += raw.count
            return
        last = self._blocks[-1] if self._blocks else None
        if last is not None and last.raw is not None and last.raw.extend(raw):
            last.gained(raw)
            return
        self._blocks.append(Block(raw))
        self._trim()

    def skip(self, lines: int) -> None:
        """Lines went by that could not be kept: drop everything and count them."""
        self._base += lines + sum(block.size for block in self._blocks)
        self.dropped_lines += lines + sum(block.count for block in self._blocks)
        self._blocks.clear()
        self._changed()
        self.open = False

    def _trim(self) -> None:
        held = sum(block.weight for block in self._blocks)
        while len(self._blocks) > 1 and held - self._blocks[0].weight >= self.limit:
            block = self._blocks.popleft()
            held -= block.weight
            self._base += block.size
            self.dropped_lines += block.count

    def clear(self) -> None:
        """Drop every row; numbers go on."""
        self._base = self.total if self._blocks else self._base
        self.dropped_lines += sum(block.count for block in self._blocks)
        self._changed()
        self._blocks.clear()
        self.open = False

    def rewrap(self, columns: int) -> None:
        """The width changed: rows are counted anew from the oldest line, when somebody asks."""
        self._changed()
        self.columns = columns
        for block in self._blocks:
            block.forget()

    def pop(self) -> Line | None:
        """Take the newest line back, for the screen."""
        self._changed()
        while self._blocks:
            block = self._blocks[-1]
            if block.lines:
                line = block.lines.pop()
                self.rejoined = self.joinable
                self.open = self._apart = len(block.lines) - 1 in block.soft
                block.soft.discard(len(block.lines) - 1)
                block.weight = max(0, block.weight - len(breaks(line, self.columns)))
                block.forget()
                return line
            self._blocks.pop()
        return None
