"""Moving rows: line feeds, scroll regions, inserted and deleted lines."""

from pyte import modes as mo

from engine.terminal.motion import Motion
from engine.terminal.pens import DEFAULT
from engine.terminal.rows import Row


class Scrolling(Motion):
    """Scrolling, within the margins; rows that leave the top of the main screen go to the scrollback."""

    def _blank_row(self) -> Row:
        pen = self.cursor.pen
        if pen is DEFAULT or pen.blank is DEFAULT:
            return Row()
        return Row.filled(self.columns, pen.blank)

    def index(self) -> None:
        """IND: down one row; scrolls at the bottom margin."""
        cursor = self.cursor
        if cursor.x >= self.columns or self._pending_right:
            self._settle()
        y = cursor.y
        if y == self._bottom:
            if self._sides:
                if self._left <= cursor.x <= self._right:
                    self._shift_up(self._top, 1)
                return
            top = self._top
            row = self.rows.pop(top)
            if top == 0 and self._hidden_rows is None:
                self.scrollback.push(row)
            elif top:
                self.rows[top - 1].wrap = 0
            pen = cursor.pen
            plain = pen is DEFAULT or pen.blank is DEFAULT
            self.rows.insert(y, Row() if plain else Row.filled(self.columns, pen.blank))
            if top < self._dirty_low:  # noqa: PLR1730  # min() costs four times as much, a line of output
                self._dirty_low = top
            if y > self._dirty_high:  # noqa: PLR1730
                self._dirty_high = y
        elif y < self.lines - 1:
            cursor.y = y + 1

    def linefeed(self) -> None:
        """LF, VT, FF: down one row; to the first column as well in newline mode."""
        self.index()
        if mo.LNM in self.mode:
            self.carriage_return()

    def next_line(self) -> None:
        """NEL: to the beginning of the next row."""
        self.index()
        self.carriage_return()

    def new_line(self) -> None:
        """CR and LF."""
        if self._sides:
            self.carriage_return()
        else:
            self.cursor.x = 0
        self.index()

    def reverse_index(self) -> None:
        """RI: up one row; scrolls down at the top margin."""
        cursor = self.cursor
        self._settle()
        if cursor.y == self._top:
            if not self._sides or self._left <= cursor.x <= self._right:
                self._shift_down(self._top, 1)
        elif cursor.y > 0:
            cursor.y -= 1

    def scroll_up(self, count: int | None = None, *_: int) -> None:
        """SU."""
        self._shift_up(self._top, count or 1)

    def scroll_down(self, count: int | None = None, *rest: int) -> None:
        """SD; with five parameters it is mouse tracking, which is not ours."""
        if not rest:
            self._shift_down(self._top, count or 1)

    def insert_lines(self, count: int | None = None, *_: int) -> None:
        """IL: blank rows at the cursor's, which goes to the left margin."""
        if self._inside():
            self._shift_down(self.cursor.y, count or 1)
            self.cursor.x = self._left

    def delete_lines(self, count: int | None = None, *_: int) -> None:
        """DL: rows below move up over the cursor's, which goes to the left margin."""
        if self._inside():
            y = self.cursor.y
            self._shift_up(y, count or 1, keep=False)
            self.cursor.x = self._left

    def _inside(self) -> bool:
        x = self._settle()
        return self._top <= self.cursor.y <= self._bottom and self._left <= x <= self._right

    def _shift_up(self, top: int, count: int, *, keep: bool = True) -> None:
        """Move the region's rows from ``top`` on up; ``keep``: what leaves goes to the scrollback."""
        bottom = self._bottom
        count = min(count, bottom - top + 1)
        self.touch(top, bottom)
        if self._sides:
            self._shift_cells(top, bottom, count)
            return
        rows = self.rows
        gone = rows[top : top + count]
        del rows[top : top + count]
        rows[bottom - count + 1 : bottom - count + 1] = [self._blank_row() for _ in range(count)]
        if keep and top == 0 and self._hidden_rows is None:
            for row in gone:
                self.scrollback.push(row)
        else:
            self._break_above(top)
        if bottom >= count:
            rows[bottom - count].wrap = 0
        self._redouble(gone)

    def _shift_down(self, top: int, count: int) -> None:
        bottom = self._bottom
        count = min(count, bottom - top + 1)
        self.touch(top, bottom)
        if self._sides:
            self._shift_cells(top, bottom, -count)
            return
        rows = self.rows
        gone = rows[bottom - count + 1 : bottom + 1]
        del rows[bottom - count + 1 : bottom + 1]
        rows[top:top] = [self._blank_row() for _ in range(count)]
        self._break_above(top)
        rows[bottom].wrap = 0
        self._redouble(gone)

    def _break_above(self, y: int) -> None:
        """Row ``y`` no longer continues the row above it."""
        if y:
            self.rows[y - 1].wrap = 0
        elif self._hidden_rows is None:
            self.scrollback.open = False

    def _redouble(self, gone: list[Row]) -> None:
        if self._careful and any(row.double for row in gone):
            self._refresh_care()

    def _shift_cells(self, top: int, bottom: int, count: int) -> None:
        """Move the columns between the side margins up by ``count`` rows, or down when it is negative."""
        left, right = self._left, self._right + 1
        blank = self.cursor.pen.blank
        rows = self.rows[top : bottom + 1]
        for row in rows:
            row.unpack(self.columns)
            row.mend(left, right)
            row.wrap = 0
        parts = [((row.chars or [])[left:right], row.pens[left:right], row.wide) for row in rows]
        for index, row in enumerate(rows):
            source = index + count
            if row.chars is None:
                continue
            if 0 <= source < len(rows):
                row.chars[left:right], row.pens[left:right], wide = parts[source]
                row.wide = row.wide or wide
            else:
                row.chars[left:right] = " " * (right - left)
                row.pens[left:right] = [blank] * (right - left)

    def set_margins(self, top: int | None = None, bottom: int | None = None, *_: int) -> None:
        """DECSTBM: the rows that scroll, counted from 1; the cursor goes home."""
        low = max(0, (top or 1) - 1)
        high = min(bottom or self.lines, self.lines) - 1
        if low < high or (low == high == 0 and self.lines == 1):
            self._set_region(low, high)
            self.cursor_position()

    def set_side_margins(self, left: int | None = None, right: int | None = None, *_: int) -> None:
        """DECSLRM in its mode (69), else SCOSC: save the cursor."""
        if 69 << 5 not in self.mode:
            self.save_cursor()
            return
        low = max(0, (left or 1) - 1)
        high = min(right or self.columns, self.columns) - 1
        if low < high:
            self._settle()
            self._set_sides(low, high)
            self.cursor_position()

    def _shift_sideways(self, at: int, count: int) -> None:
        """Move the region's cells from column ``at`` on right by ``count``, or left when it is negative."""
        blank = self.cursor.pen.blank
        right = self._right + 1
        for y in range(self._top, self._bottom + 1):
            if count > 0:
                self.rows[y].insert(at, count, right, blank, self.columns)
            else:
                self.rows[y].delete(at, -count, right, blank, self.columns)
        self.touch(self._top, self._bottom)

    def scroll_left(self, count: int | None = None, *_: int) -> None:
        """SL."""
        self._shift_sideways(self._left, -(count or 1))

    def scroll_right(self, count: int | None = None, *_: int) -> None:
        """SR."""
        self._shift_sideways(self._left, count or 1)

    def insert_columns(self, count: int | None = None, *_: int) -> None:
        """DECIC."""
        if self._inside():
            self._shift_sideways(self.cursor.x, count or 1)

    def delete_columns(self, count: int | None = None, *_: int) -> None:
        """DECDC."""
        if self._inside():
            self._shift_sideways(self.cursor.x, -(count or 1))

    def back_index(self) -> None:
        """DECBI: left one column; scrolls right at the left margin."""
        if self._settle() == self._left:
            if self._inside():
                self._shift_sideways(self._left, 1)
        else:
            self.cursor.x = max(0, self.cursor.x - 1)

    def forward_index(self) -> None:
        """DECFI: right one column; scrolls left at the right margin."""
        if self._settle() == self._right:
            if self._inside():
                self._shift_sideways(self._left, -1)
        else:
            self.cursor.x = min(self.columns - 1, self.cursor.x + 1)
