"""Moving the cursor, and tab stops."""

from typing import Final

from pyte import modes as mo

from engine.terminal.canvas import Canvas

_SPOTS: Final = 8192


class Motion(Canvas):
    """Cursor motion within margins. Every motion ends a pending wrap."""

    def cursor_up(self, count: int | None = None, *_: int) -> None:
        """CUU: up, not past the top margin."""
        y = self.cursor.y
        self._settle()
        top = self._top if y >= self._top else 0
        self.cursor.y = max(top, y - (count or 1))
        self._bound_double()

    def cursor_down(self, count: int | None = None, *_: int) -> None:
        """CUD: down, not past the bottom margin."""
        y = self.cursor.y
        self._settle()
        bottom = self._bottom if y <= self._bottom else self.lines - 1
        self.cursor.y = min(bottom, y + (count or 1))
        self._bound_double()

    def cursor_up1(self, count: int | None = None, *_: int) -> None:
        """CPL: up, to the first column."""
        self.cursor_up(count)
        self.carriage_return()

    def cursor_down1(self, count: int | None = None, *_: int) -> None:
        """CNL: down, to the first column."""
        self.cursor_down(count)
        self.carriage_return()

    def cursor_forward(self, count: int | None = None, *_: int) -> None:
        """CUF: right, not past the right margin."""
        x = self._settle()
        right = self._right if x <= self._right else self.columns - 1
        self.cursor.x = min(right, x + (count or 1))
        self._bound_double()

    def cursor_back(self, count: int | None = None, *_: int) -> None:
        """CUB: left, not past the left margin; with reverse wrap on to the row above."""
        if 45 << 5 in self.mode or 1045 << 5 in self.mode:
            self._back_wrapping(count or 1)
            return
        x = self._settle()
        left = self._left if x >= self._left else 0
        self.cursor.x = max(left, x - (count or 1))

    def _back_wrapping(self, count: int) -> None:
        """Step left over the ends of rows: wrapped ones (mode 45), or any (mode 1045)."""
        if mo.DECAWM not in self.mode:
            self._settle()
            self.cursor.x = max(self._left if self.cursor.x >= self._left else 0, self.cursor.x - count)
            return
        cursor = self.cursor
        if self._pending_right or cursor.x >= self.columns:
            # A pending wrap counts as a step of its own, as in xterm.
            self._settle()
            count -= 1
        left = self._left if cursor.x >= self._left else 0
        right = self._right if cursor.x <= self._right else self.columns - 1
        for _ in range(min(count, self.columns * self.lines)):
            if cursor.x > left:
                cursor.x -= 1
                continue
            above = cursor.y - 1
            if cursor.y == self._top:
                if 1045 << 5 not in self.mode:
                    break
                above = self._bottom
            if above < 0 or (1045 << 5 not in self.mode and not self.rows[above].wrap):
                break
            cursor.y = above
            cursor.x = right

    def backspace(self) -> None:
        """BS: one to the left."""
        self.cursor_back(1)

    def carriage_return(self) -> None:
        """CR: to the first column, or the left margin when the cursor is not left of it."""
        if self._sides:
            x = self._settle()
            inside = x >= self._left or mo.DECOM in self.mode
            self.cursor.x = self._left if inside else 0
        else:
            self.cursor.x = 0

    def cursor_position(self, line: int | None = None, column: int | None = None, *_: int) -> None:
        """CUP: to a line and a column, counted from 1; from the margins in origin mode."""
        y = (line or 1) - 1
        x = (column or 1) - 1
        self._pending_right = False
        cursor = self.cursor
        if mo.DECOM in self.mode:
            cursor.y = min(y + self._top, self._bottom)
            cursor.x = min(x + self._left, self._right)
        else:
            last = self.lines - 1
            cursor.y = y if y < last else last
            last = self.columns - 1
            cursor.x = x if x < last else last
        if self._careful:
            self._bound_double()

    def place_cursor(self, params: str) -> bool:
        """CUP by its parameters as they came, if those are plain; remembers where they lead."""
        line, _, column = params.partition(";")
        if len(params) > 12 or not (line or "1").isdigit() or not (column or "1").isdigit():
            return False
        self.cursor_position(int(line or 1), int(column or 1))
        if not self._careful and mo.DECOM not in self.mode:
            if len(self.spots) >= _SPOTS:
                self.spots.clear()
            self.spots[params] = (self.cursor.y, self.cursor.x)
        return True

    def cursor_to_column(self, column: int | None = None, *_: int) -> None:
        """CHA: to a column of this row."""
        self._settle()
        x = (column or 1) - 1
        if mo.DECOM in self.mode:
            self.cursor.x = min(x + self._left, self._right)
        else:
            self.cursor.x = min(x, self.columns - 1)
        self._bound_double()

    def cursor_to_line(self, line: int | None = None, *_: int) -> None:
        """VPA: to a line of this column."""
        self._settle()
        y = (line or 1) - 1
        if mo.DECOM in self.mode:
            self.cursor.y = min(y + self._top, self._bottom)
        else:
            self.cursor.y = min(y, self.lines - 1)
        self._bound_double()

    def line_forward(self, count: int | None = None, *_: int) -> None:
        """VPR: down, whatever the margins."""
        self._settle()
        bottom = self._bottom if mo.DECOM in self.mode else self.lines - 1
        self.cursor.y = min(bottom, self.cursor.y + (count or 1))

    def column_forward(self, count: int | None = None, *_: int) -> None:
        """HPR: right, whatever the margins."""
        x = self._settle()
        right = self._right if mo.DECOM in self.mode else self.columns - 1
        self.cursor.x = min(right, x + (count or 1))

    def line_backward(self, count: int | None = None, *_: int) -> None:
        """VPB: up, whatever the margins."""
        self._settle()
        top = self._top if mo.DECOM in self.mode else 0
        self.cursor.y = max(top, self.cursor.y - (count or 1))

    def column_backward(self, count: int | None = None, *_: int) -> None:
        """HPB: left, whatever the margins."""
        x = self._settle()
        left = self._left if mo.DECOM in self.mode else 0
        self.cursor.x = max(left, x - (count or 1))

    def _bound_double(self) -> None:
        if self._careful and self.rows[self.cursor.y].double:
            self.cursor.x = min(self.cursor.x, self._limit(self.cursor.y) - 1)

    def ensure_hbounds(self) -> None:
        """Bring the cursor within the columns."""
        self.cursor.x = min(max(0, self.cursor.x), self.columns - 1)

    def ensure_vbounds(self, use_margins: bool | None = None) -> None:
        """Bring the cursor within the rows, or the margins in origin mode."""
        bounded = use_margins or mo.DECOM in self.mode
        low, high = (self._top, self._bottom) if bounded else (0, self.lines - 1)
        self.cursor.y = min(max(low, self.cursor.y), high)

    # -- tab stops

    def tab(self, count: int | None = None, *_more: int) -> None:
        """HT, CHT: to the next tab stop, at most the last column; a pending wrap stays."""
        cursor = self.cursor
        if self._pending_right or cursor.x >= self.columns:
            return
        inside = self._sides and cursor.x <= self._right
        last = self._right if inside else self._limit(cursor.y) - 1
        for _ in range(min(count or 1, self.columns)):
            if cursor.x >= last:
                break
            x = cursor.x + 1
            stops = self.tabstops
            while x < last and x not in stops:
                x += 1
            cursor.x = x

    def back_tab(self, count: int | None = None, *_more: int) -> None:
        """CBT: to the tab stop before; a pending wrap stays."""
        x = self.cursor.x
        if self._pending_right or x >= self.columns:
            return
        first = self._left if mo.DECOM in self.mode else 0
        for _ in range(min(count or 1, self.columns)):
            x = max((stop for stop in self.tabstops if stop < x), default=0)
            if x <= first:
                break
        self.cursor.x = max(first, x)

    def set_tab_stop(self) -> None:
        """HTS: a stop at the cursor's column."""
        # A new set: raw lines of the scrollback keep the one that they were printed with.
        self.tabstops = self.tabstops | {min(self.cursor.x, self.columns - 1)}

    def clear_tab_stop(self, how: int = 0, *_: int) -> None:
        """TBC: 0 the stop here, 3 all."""
        if how == 0:
            self.tabstops = self.tabstops - {min(self.cursor.x, self.columns - 1)}
        elif how == 3:
            self.tabstops = set()

    def default_tab_stops(self, how: int = 0, *_: int, **__: bool) -> None:
        """DECST8C: a stop every eight columns."""
        if how == 5:
            self.tabstops = set(range(8, self.columns, 8))
