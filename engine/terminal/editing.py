"""Erasing, inserting and deleting characters; selective erase; rectangles; the alignment test."""

from pyte import modes as mo

from engine.terminal.pens import Pen
from engine.terminal.rows import Row
from engine.terminal.scrolling import Scrolling


class Editing(Scrolling):
    """What changes cells that are there already. Blanks take the background of the pen in force."""

    def insert_characters(self, count: int | None = None, *_: int) -> None:
        """ICH: blanks at the cursor, what is right of it moves."""
        x = self._settle()
        if self._left <= x <= self._right:
            cursor = self.cursor
            self.rows[cursor.y].insert(x, count or 1, self._right + 1, cursor.pen.blank, self.columns)
            self._dirty.add(cursor.y)

    def delete_characters(self, count: int | None = None, *_: int) -> None:
        """DCH: cells at the cursor go, what is right of them moves."""
        x = self._settle()
        if self._left <= x <= self._right:
            cursor = self.cursor
            self.rows[cursor.y].delete(x, count or 1, self._right + 1, cursor.pen.blank, self.columns)
            self._dirty.add(cursor.y)

    def erase_characters(self, count: int | None = None, *_: int) -> None:
        """ECH: blanks over the cursor and what follows."""
        cursor = self.cursor
        x = self._settle()
        end = min(x + (count or 1), self.columns)
        self.rows[cursor.y].erase(x, end, cursor.pen.blank, self.columns)
        self._dirty.add(cursor.y)

    def erase_in_line(self, how: int = 0, *_: int, private: bool = False) -> None:
        """EL: 0 to the end, 1 to the cursor, 2 all; ``private`` spares protected cells."""
        cursor = self.cursor
        x = cursor.x  # A pending wrap stays pending; the last column is then behind the cursor.
        if mo.DECAWM not in self.mode:
            x = min(x, self.columns - 1)
        if how == 0:
            start, end = x, self.columns
        elif how == 1:
            start, end = 0, min(x + 1, self.columns)
        elif how == 2:
            start, end = 0, self.columns
        else:
            return
        row = self.rows[cursor.y]
        if private:
            self._erase_unprotected(row, start, end, cursor.pen.blank)
        else:
            row.erase(start, end, cursor.pen.blank, self.columns)
            if start == 0 and end == self.columns:
                self._break_above(cursor.y)
        self._dirty.add(cursor.y)

    def erase_in_display(self, how: int = 0, *_: int, private: bool = False) -> None:
        """ED: 0 to the end, 1 to the cursor, 2 all, 3 the scrollback; ``private`` spares protected cells."""
        if how == 3:
            if not private:
                self.scrollback.clear()
            return
        y = self.cursor.y
        if how == 0:
            low, high = y + 1, self.lines
        elif how == 1:
            low, high = 0, y
        elif how == 2:
            low, high = 0, self.lines
        else:
            return
        pen = self.cursor.pen.blank
        if low == 0 and high and not private:
            self._break_above(0)
        for row in self.rows[low:high]:
            if private:
                self._erase_unprotected(row, 0, self.columns, pen)
            else:
                row.erase(0, self.columns, pen, self.columns)
                row.double = 0
        if low < high:
            self.touch(low, high - 1)
        if how < 2:
            self.erase_in_line(how, private=private)
        if self._careful:
            self._refresh_care()

    def _erase_unprotected(self, row: Row, start: int, end: int, pen: Pen) -> None:
        row.unpack(self.columns)
        for x in range(start, end):
            if not row.cell(x)[1].protected:
                row.erase(x, x + 1, pen, self.columns)

    def alignment_display(self) -> None:
        """DECALN: fill with E, margins off, cursor home."""
        self._set_region(0, self.lines - 1)
        self._set_sides(0, self.columns - 1)
        for row in self.rows:
            row.clear()
            row.double = 0
            row.put(0, "E" * self.columns, self.cursor.pen.blank, self.columns)
        self.touch_all()
        self.cursor_position()
        self._refresh_care()

    def set_line_size(self, double: int) -> None:
        """DECDHL, DECDWL, DECSWL: the size of the cursor's row."""
        row = self.rows[self.cursor.y]
        row.double = double
        if double:
            self._doubled = True
            half = self._limit(self.cursor.y)
            row.erase(half, self.columns, self.cursor.pen.blank, self.columns)
            self.cursor.x = min(self.cursor.x, half - 1)
        self._dirty.add(self.cursor.y)
        self._refresh_care()

    def set_protected(self, how: int = 0, *_: int) -> None:
        """DECSCA: whether what is printed from now on survives selective erase."""
        self.cursor.pen = self.cursor.pen.replace(protected=how == 1)

    # -- rectangles (DECFRA, DECERA, DECSERA, DECCRA)

    def _area(self, values: tuple[int, ...]) -> tuple[int, int, int, int]:
        """A rectangle's top, left, bottom and right (exclusive) from parameters counted from 1."""
        top, left, bottom, right = (*values, 0, 0, 0, 0)[:4]
        return (
            max(1, top) - 1,
            max(1, left) - 1,
            min(bottom or self.lines, self.lines),
            min(right or self.columns, self.columns),
        )

    def fill_area(self, code: int = 0, *values: int) -> None:
        """DECFRA: fill a rectangle with a character."""
        if 32 <= code < 127:
            self._paint_area(values, chr(code), self.cursor.pen)

    def erase_area(self, *values: int) -> None:
        """DECERA."""
        self._paint_area(values, " ", self.cursor.pen.blank)

    def _paint_area(self, values: tuple[int, ...], char: str, pen: Pen) -> None:
        top, left, bottom, right = self._area(values)
        if top < bottom and left < right:
            for row in self.rows[top:bottom]:
                row.put(left, char * (right - left), pen, self.columns)
            self.touch(top, bottom - 1)

    def erase_area_unprotected(self, *values: int) -> None:
        """DECSERA."""
        top, left, bottom, right = self._area(values)
        for row in self.rows[top:bottom]:
            self._erase_unprotected(row, left, right, self.cursor.pen.blank)
        self.touch(top, max(top, bottom - 1))

    def copy_area(self, *values: int) -> None:
        """DECCRA: copy a rectangle."""
        top, left, bottom, right = self._area(values[:4])
        to_y, to_x = (max(1, value) - 1 for value in (*values[5:7], 0, 0)[:2])
        cells = [[row.cell(x) for x in range(left, right)] for row in self.rows[top:bottom]]
        for row, source in zip(self.rows[to_y:], cells, strict=False):
            row.unpack(self.columns)
            for x, (text, pen) in enumerate(source[: self.columns - to_x], to_x):
                row.put_cells(x, [text or " "], pen, self.columns)
        self.touch(0, self.lines - 1)
