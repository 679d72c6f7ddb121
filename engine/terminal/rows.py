"""A row of the screen: packed while it is only written from left to right, cells once it is edited.

Packed: ``text`` has one character a column, ``spans`` the ends and pens of its parts but the last, ``pen``
the last part's pen; what is right of the text is blank in the default pen. Most rows are never anything else.
Cells: ``chars`` and ``pens`` have an entry a column; the right half of a wide character is empty.
"""

from typing import Final

from engine.terminal.lines import Cells, Line, Run, Spans, compress, cut, expand, join, make_line, runs_of
from engine.terminal.pens import DEFAULT, Pen
from engine.terminal.widths import width


class Row:
    """One row of the screen."""

    __slots__ = ("chars", "double", "pen", "pens", "spans", "text", "wide", "wrap")

    def __init__(self) -> None:
        self.text = ""
        self.pen = DEFAULT
        self.spans: list[tuple[int, Pen]] | None = None
        self.chars: list[str] | None = None
        self.pens: list[Pen] = _NO_PENS
        self.wide = False
        """Cells may hold wide characters; only ever true of cells."""
        self.wrap = 0
        """How many of its columns belong to a line that goes on in the next row; 0 when it ends here."""
        self.double = 0
        """DEC line size: 0 single, 1 double width, 2 and 3 the halves of double height."""

    @classmethod
    def filled(cls, columns: int, pen: Pen) -> "Row":
        """A row of blanks in ``pen``."""
        row = cls()
        if pen is not DEFAULT:
            row.text = " " * columns
            row.pen = pen
        return row

    @classmethod
    def from_line(cls, line: Line, columns: int) -> "Row":
        """The row that shows a line of at most ``columns`` columns."""
        row = cls()
        if isinstance(line, str):
            row.text = line
            return row
        cells, spans = line
        if isinstance(cells, str):
            row.text = cells
            if spans:
                row.pen = spans[-1][1]
                row.spans = list(spans[:-1]) or None
            return row
        row.chars = [*cells, *(" " * (columns - len(cells)))]
        row.pens = expand(spans, columns)
        row.wide = True
        if columns == 1 and (row.chars[0] == "" or width(row.chars[0][0]) == 2):
            row.chars[0] = " "  # Nothing of two columns fits.
        return row

    def unpack(self, columns: int) -> list[str]:
        """Turn it into cells, and give the characters."""
        if self.chars is None:
            self.pens = expand(self.full_spans(), columns)
            self.chars = list(self.text.ljust(columns))
            self.text = ""
            self.spans = None
        return self.chars

    def full_spans(self) -> list[tuple[int, Pen]]:
        """The spans of a packed row over all of its text."""
        spans = list(self.spans) if self.spans else []
        if self.text:
            spans.append((len(self.text), self.pen))
        return spans

    def put(self, x: int, text: str, pen: Pen, columns: int) -> None:
        """Write characters of one column each from column ``x`` on; they must fit."""
        end = x + len(text)
        chars = self.chars
        if chars is None:
            have = len(self.text)
            if x == 0 and end >= have:
                self.text = text
                self.pen = pen
                self.spans = None
                return
            if x >= have:
                if x > have:
                    self._pad(x)
                if self.pen is not pen:
                    if self.spans is None:
                        self.spans = [(x, self.pen)]
                    else:
                        self.spans.append((x, self.pen))
                    self.pen = pen
                self.text += text
                return
            if self.pen is pen and self.spans is None:
                self.text = self.text[:x] + text + self.text[end:]
                return
            chars = self.unpack(columns)
        elif x == 0 and end == columns:
            self.clear()
            self.text = text
            self.pen = pen
            return
        if self.wide:
            self.mend(x, end)
        if end - x == 1:
            chars[x] = text
            self.pens[x] = pen
        else:
            chars[x:end] = text
            self.pens[x:end] = [pen] * (end - x)

    def _pad(self, x: int) -> None:
        """Make the blanks up to column ``x`` part of a packed row's text."""
        have = len(self.text)
        if not have:
            self.pen = DEFAULT
        elif self.pen is not DEFAULT:
            if self.spans is None:
                self.spans = []
            self.spans.append((have, self.pen))
            self.pen = DEFAULT
        self.text = self.text.ljust(x)

    def put_cells(self, x: int, cells: list[str], pen: Pen, columns: int) -> None:
        """Write cells, the right halves of wide characters included, from column ``x`` on; they must fit."""
        chars = self.unpack(columns)
        end = x + len(cells)
        if self.wide:
            self.mend(x, end)
        self.wide = True
        chars[x:end] = cells
        self.pens[x:end] = [pen] * len(cells)

    def mend(self, start: int, end: int) -> None:
        """Blank the halves of wide characters that the columns ``start`` up to ``end`` would leave."""
        chars = self.chars
        if chars is None:
            return
        size = len(chars)
        if 0 < start < size and chars[start] == "":
            chars[start - 1] = chars[start] = " "
        if 0 < end < size and chars[end] == "":
            chars[end - 1] = chars[end] = " "

    def clear(self) -> None:
        """Make it an empty row that ends its line."""
        self.text = ""
        self.pen = DEFAULT
        self.spans = None
        self.chars = None
        self.pens = _NO_PENS
        self.wide = False
        self.wrap = 0

    def erase(self, start: int, end: int, pen: Pen, columns: int) -> None:
        """Blank the columns from ``start`` up to ``end`` in ``pen``."""
        if start >= end:
            return
        if end >= columns:
            self.wrap = 0
            if start == 0:
                double = self.double
                self.clear()
                self.double = double
                if pen is not DEFAULT:
                    self.text = " " * columns
                    self.pen = pen
                return
            if self.chars is None:
                self._clip(start)
                if pen is not DEFAULT:
                    self.put(start, " " * (columns - start), pen, columns)
                return
        if self.chars is None and start >= len(self.text) and pen is DEFAULT:
            return
        chars = self.unpack(columns)
        if self.wide:
            self.mend(start, end)
        chars[start:end] = " " * (end - start)
        self.pens[start:end] = [pen] * (end - start)

    def _clip(self, x: int) -> None:
        if x >= len(self.text):
            return
        self.text = self.text[:x]
        while self.spans and self.spans[-1][0] >= x:
            self.pen = self.spans.pop()[1]
        if not self.spans:
            self.spans = None

    def insert(self, x: int, count: int, right: int, pen: Pen, columns: int) -> None:
        """Insert blanks at ``x``; what is pushed past column ``right`` (exclusive) is lost."""
        chars = self.unpack(columns)
        count = min(count, right - x)
        self.mend(x, right)
        self.mend(x, right - count)
        chars[x:right] = [" "] * count + chars[x : right - count]
        self.pens[x:right] = [pen] * count + self.pens[x : right - count]
        self.wrap = 0

    def delete(self, x: int, count: int, right: int, pen: Pen, columns: int) -> None:
        """Delete cells at ``x``; blanks come in before column ``right`` (exclusive)."""
        chars = self.unpack(columns)
        count = min(count, right - x)
        self.mend(x, x + count)
        self.mend(x, right)
        chars[x:right] = chars[x + count : right] + [" "] * count
        self.pens[x:right] = self.pens[x + count : right] + [pen] * count
        self.wrap = 0

    def resize(self, old: int, columns: int) -> None:
        """Cut or widen it; nothing flows."""
        self.wrap = 0
        if self.chars is None:
            self._clip(columns)
            return
        if columns < old:
            self.mend(columns, columns)
            del self.chars[columns:]
            del self.pens[columns:]
        else:
            self.chars += " " * (columns - old)
            self.pens += [DEFAULT] * (columns - old)

    def cell(self, x: int) -> Run:
        """The text and the pen of a column."""
        if self.chars is not None:
            return self.chars[x], self.pens[x]
        if x >= len(self.text):
            return " ", DEFAULT
        for end, pen in self.spans or ():
            if x < end:
                return self.text[x], pen
        return self.text[x], self.pen

    def string(self) -> str:
        """The text, trailing blanks included."""
        return self.text if self.chars is None else "".join(self.chars)

    def parts(self) -> tuple[Cells, Spans]:
        """Its cells and spans, nothing trimmed."""
        if self.chars is None:
            return self.text, tuple(self.full_spans())
        text = "".join(self.chars)
        same = len(text) == len(self.chars) and not self.wide
        return text if same else tuple(self.chars), tuple(compress(self.pens))

    def line(self, keep: int = 0) -> Line:
        """It at rest, trailing default blanks trimmed to ``keep`` columns."""
        cells, spans = self.parts()
        return make_line(cells, spans, keep)

    def wrapped_line(self) -> Line:
        """The columns that belong to a line that goes on in the next row, blanks included."""
        line = self.line(self.wrap)
        cells = line if isinstance(line, str) else line[0]
        if len(cells) < self.wrap:
            line = join(line, " " * (self.wrap - len(cells)))
        elif len(cells) > self.wrap:
            line = cut(line, 0, self.wrap)
        return line

    def runs(self) -> list[Run]:
        """The runs, trailing default blanks trimmed."""
        if self.chars is None:
            if not self.spans:
                text = self.text.rstrip(" ") if self.pen is DEFAULT else self.text
                return [(text, self.pen)] if text else []
            return runs_of(self.text, self.full_spans())
        return runs_of(self.chars, compress(self.pens))  # type: ignore[arg-type]  # a list slices like a tuple

    def is_blank(self) -> bool:
        """Whether nothing shows."""
        if self.chars is None:
            return not self.text or (self.pen is DEFAULT and not self.spans and not self.text.strip(" "))
        return not self.runs()


_NO_PENS: Final[list[Pen]] = []
