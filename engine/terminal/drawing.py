"""Printing: runs of narrow characters, wide ones, clusters, and the wrap at the margin."""

import unicodedata

from pyte import modes as mo

from engine.terminal.editing import Editing
from engine.terminal.pens import DEFAULT
from engine.terminal.widths import CLUSTER_LIMIT, VS16, ZWJ, is_kept_zero, joins, widens, width


class Drawing(Editing):
    """What text does to the rows."""

    def draw(self, data: str) -> None:
        """Print text, of whatever characters; controls are ignored."""
        for char in data:
            if char >= " ":
                self.draw_char(char)

    def draw_narrow(self, text: str) -> None:
        """Print characters of which each takes one column and joins nothing."""
        if self._careful:
            self._draw_careful(text)
            return
        cursor = self.cursor
        x = cursor.x
        end = x + len(text)
        columns = self.columns
        if end < columns:
            y = cursor.y
            row = self.rows[y]
            pen = cursor.pen
            chars = row.chars
            if chars is None:
                if row.pen is pen and x == len(row.text):
                    row.text += text
                else:
                    row.put(x, text, pen, columns)
            elif row.wide:
                row.put(x, text, pen, columns)
            elif end - x == 1:
                chars[x] = text
                row.pens[x] = pen
            else:
                chars[x:end] = text
                row.pens[x:end] = [pen] * (end - x)
            cursor.x = end
            self._dirty.add(y)
            return
        start = 0
        size = len(text)
        while start < size:
            if x >= columns:
                self.rows[cursor.y].wrap = columns
                cursor.x = x = 0
                self.index()
            stop = min(size, start + columns - x)
            row = self.rows[cursor.y]
            row.put(x, text[start:stop], cursor.pen, columns)
            x += stop - start
            if x == columns:
                row.wrap = 0
            self._dirty.add(cursor.y)
            start = stop
        cursor.x = x

    def draw_wide(self, text: str) -> None:
        """Print characters of which each takes two columns."""
        if self._careful or self.columns < 2 or self._joining:
            for char in text:
                self.draw_char(char)
            return
        cursor = self.cursor
        columns = self.columns
        start = 0
        size = len(text)
        while start < size:
            x = cursor.x
            if x >= columns - 1:
                self._link(x)
                cursor.x = x = 0
                self.index()
            stop = min(size, start + (columns - x) // 2)
            cells = [""] * (2 * (stop - start))
            cells[::2] = text[start:stop]
            row = self.rows[cursor.y]
            row.put_cells(x, cells, cursor.pen, columns)
            cursor.x = x + len(cells)
            if cursor.x == columns:
                row.wrap = 0
            self._dirty.add(cursor.y)
            start = stop

    def _draw_careful(self, text: str) -> None:
        """Print with character sets, insert mode, side margins or no wrap in force."""
        table = self.charsets[self.charset]
        if self._single:
            single = self.charsets[self._single]
            self._single = 0
            self._refresh_care()
            self._place(text[0].translate(single or {}), 1)
            text = text[1:]
        if table is not None:
            text = text.translate(table)
            plain = mo.IRM not in self.mode and mo.DECAWM in self.mode and not self._sides
            if plain and not any(row.double for row in self.rows):
                self._careful = False
                self.draw_narrow(text)
                self._careful = True
                return
        for char in text:
            self._place(char, 1)

    def _place(self, char: str, columns: int) -> None:
        """Print one character; the way that knows everything."""
        cursor = self.cursor
        y = cursor.y
        right = self._print_limit()
        if columns > right:
            return
        pending = self._pending_right or cursor.x >= self.columns
        pending = pending or (self.rows[y].double > 0 and cursor.x >= right)
        if pending or cursor.x + columns > right:
            if mo.DECAWM in self.mode and (pending or cursor.x + columns > right):
                self._wrap(right if pending else cursor.x)
                right = self._print_limit()
            elif cursor.x < self.columns or pending:
                self._pending_right = False
                cursor.x = right - columns
        y = cursor.y
        x = cursor.x
        row = self.rows[y]
        if mo.IRM in self.mode:
            row.insert(x, columns, right, cursor.pen.blank, self.columns)
        if columns == 2:
            row.put_cells(x, [char, ""], cursor.pen, self.columns)
        elif len(char) == 1:
            row.put(x, char, cursor.pen, self.columns)
        else:
            row.put_cells(x, [char], cursor.pen, self.columns)
        self._dirty.add(y)
        x += columns
        if x >= self.columns:
            row.wrap = 0
        if x < right:
            cursor.x = x
        else:
            # Pending without autowrap too: xterm wraps when the mode is set again before the next character.
            cursor.x = x
            if right < self.columns and not row.double:
                cursor.x = right - 1
                self._pending_right = True

    def _print_limit(self) -> int:
        """The column that printing stops before, from where the cursor is."""
        limit = self._limit(self.cursor.y)
        if self._sides and self.cursor.x <= self._right:
            return min(limit, self._right + 1)
        return limit

    def _link(self, filled: int) -> None:
        """The cursor's row goes on in the next; a last column left blank for a wide character is no text."""
        row = self.rows[self.cursor.y]
        blank = filled < self.columns and row.cell(filled) == (" ", DEFAULT)
        row.wrap = filled if blank else self.columns

    def _wrap(self, filled: int) -> None:
        """Go to the beginning of the next row; this one, ``filled`` so far, continues there."""
        cursor = self.cursor
        self._pending_right = False
        if not self._sides and not self.rows[cursor.y].double:
            self._link(filled)
        inside = self._sides and cursor.x >= self._left
        cursor.x = self._left if inside else 0
        self.index()
        if inside:
            cursor.x = self._left

    def draw_char(self, char: str) -> None:
        """Print a character of any kind: it may have no width, or join the one before."""
        columns = width(char)
        if columns == 0:
            self._combine(char)
            return
        spot = self._before()
        if spot is not None and (self._joining == spot or "\U0001f1e6" <= char <= "\U0001f3ff"):
            x, y = spot
            data = self.rows[y].cell(x)[0]
            if joins(data, char):
                self._joining = None
                self._rewrite(x, y, data + char, 2)
                return
        self._joining = None
        if columns == 1 and self._careful:
            self._draw_careful(char)
        elif columns == 1:
            self.draw_narrow(char)
        else:
            self._place(char, columns)

    def _before(self) -> tuple[int, int] | None:
        """The cell that the cursor stands behind."""
        cursor = self.cursor
        x = cursor.x if self._pending_right else min(cursor.x, self.columns) - 1
        y = cursor.y
        if x < 0:
            if not y or not self.rows[y - 1].wrap:
                return None
            y -= 1
            x = self.rows[y].wrap - 1
        if x and self.rows[y].cell(x)[0] == "":
            x -= 1
        return x, y

    def _combine(self, char: str) -> None:
        """Put a character without width into the cell before the cursor."""
        spot = self._before()
        if spot is None or not is_kept_zero(char):
            return
        x, y = spot
        data = self.rows[y].cell(x)[0]
        if len(data) >= CLUSTER_LIMIT:
            return
        wide = x + 1 < self.columns and self.rows[y].cell(x + 1)[0] == ""
        if char == VS16 and not wide and widens(data):
            self._rewrite(x, y, data + char, 2)
            return
        if unicodedata.combining(char):
            data = unicodedata.normalize("NFC", data + char)
        else:
            data += char
        self._rewrite(x, y, data, 2 if wide else 1)
        self._joining = spot if char == ZWJ else None

    def _rewrite(self, x: int, y: int, data: str, columns: int) -> None:
        """Give the cell at ``x`` other contents, ``columns`` wide."""
        row = self.rows[y]
        cursor = self.cursor
        pen = row.cell(x)[1]
        was = 2 if x + 1 < self.columns and row.cell(x + 1)[0] == "" else 1
        self._dirty.add(y)
        if columns <= was:
            chars = row.unpack(self.columns)
            chars[x] = data
            return
        held, cursor.pen = cursor.pen, pen
        if y == cursor.y and (x + 1 < self._print_limit() or self.columns < 2):
            if self.columns >= 2:
                row.put_cells(x, [data, ""], pen, self.columns)
                cursor.x = max(cursor.x, x + 2)
        elif y == cursor.y and mo.DECAWM in self.mode:
            # It grew at the margin: it moves to the next row, as a wide character would have.
            row.erase(x, x + 1, DEFAULT, self.columns)
            cursor.x = x
            self._pending_right = False
            self._place(data, 2)
        cursor.pen = held

    def last_printed(self, text: str) -> None:
        """The stream says what was printed right before a REP."""
        self._last = text[-1:]

    def repeat(self, count: int | None = None, *_: int) -> None:
        """REP: the last printed character again; the stream says which that was."""
        last = self._last
        if not last:
            return
        count = min(count or 1, self.columns * self.lines)
        if width(last) == 0 and (spot := self._before()):
            # A mark or a joiner was the last of a cluster: that is the character.
            x, y = spot
            last = self.rows[y].cell(x)[0]
        if last.isascii():
            self.draw_narrow(last * count)
        else:
            for _index in range(count):
                self.draw(last)
