"""Lines of text and SGR that are cells only when somebody looks: single lines, and rows of the screen."""

import re
from typing import Any, Final

from engine.terminal.lines import Spans, expand
from engine.terminal.pens import DEFAULT, Pen
from engine.terminal.rows import Row
from engine.terminal.tokens import WIDE

STUB: Final = "\0"
"""Stands for the right half of a wide character while lengths are widths."""
_WIDE: Final = re.compile(f"[{WIDE}]++")
SGR: Final = re.compile(r"\x1b\[([0-9;:]*)m")


def _with_stubs(match: re.Match[str]) -> str:
    return STUB.join(match[0]) + STUB


def widened(text: str) -> str:
    """Text whose length is its width: a stub follows each wide character."""
    return text if text.isascii() else _WIDE.sub(_with_stubs, text)


def width_of(text: str) -> int:
    """Columns that text of narrow and wide characters takes."""
    return len(text) + sum(map(len, _WIDE.findall(text)))


def unstubbed(cells: str) -> tuple[str, ...]:
    """The cells of widened text."""
    return tuple(["" if char == STUB else char for char in cells])


def parse(line: str, pen: Pen) -> tuple[str, Spans, Pen]:
    """A line of narrow or widened text and SGR from ``pen`` on: its text, its spans and the pen after it."""
    parts = line.split("\x1b[")
    cells = parts[0]
    spans = [(len(cells), pen)] if cells else []
    for part in parts[1:]:
        params, _, more = part.partition("m")
        pen = pen.next[params]
        if more:
            cells += more
            if spans and spans[-1][1] is pen:
                spans.pop()
            spans.append((len(cells), pen))
    return cells, tuple(spans), pen


def pen_after(pen: Pen, text: str) -> Pen:
    """The pen after text that holds no sequences that matter but SGR."""
    if "\x1b" not in text:
        return pen
    start = max(text.rfind("\x1b[0m"), text.rfind("\x1b[m"))
    if start >= 0:
        pen = pen.next["0"]
    found = SGR.findall(text, max(0, start))
    if len(found) > 64:
        # Each assigns constants, so only the last of each kind counts, in their order.
        found = list(reversed(list(dict.fromkeys(reversed(found)))))
    for params in found:
        pen = pen.next[params]
    return pen


def _late(name: str) -> Any:
    """An attribute of a row that parses the row when it is read or written."""
    slot = getattr(Row, name)

    def read(row: "UnparsedRow") -> Any:
        row.settle()
        return slot.__get__(row)

    def write(row: "UnparsedRow", value: Any) -> None:
        row.settle()
        slot.__set__(row, value)

    return property(read, write)


class UnparsedRow(Row):
    """A row of the screen that holds the text it was made of; a plain ``Row`` from the first look on.

    The text has no sequences but SGR, nothing that joins, and fits into the row. Until
    then ``spans`` only holds the width of the row.
    """

    __slots__ = ()

    text = _late("text")
    spans = _late("spans")
    pen = _late("pen")
    chars = _late("chars")
    pens = _late("pens")
    wide = _late("wide")

    @classmethod
    def of(cls, line: str, pen: Pen, columns: int) -> Row:
        """The row for a line that begins with ``pen``."""
        row = Row()
        row.text = line
        row.pen = pen
        row.spans = [(columns, pen)]
        row.__class__ = cls
        return row

    def source(self) -> tuple[str, Pen]:
        """The text it was made of and the pen before it."""
        return _TEXT.__get__(self), _PEN.__get__(self)

    def settle(self) -> None:
        """Become a plain row."""
        line, pen = self.source()
        cells, spans, _ = parse(widened(line), pen)
        self.__class__ = Row  # type: ignore[assignment]  # the point of it: what follows are plain slots
        if STUB in cells:
            columns = (self.spans or [(len(cells), pen)])[0][0]
            self.text, self.pen, self.spans, self.wide = "", DEFAULT, None, True
            self.chars = [*unstubbed(cells), *(" " * (columns - len(cells)))]
            self.pens = expand(spans, columns)
            return
        self.text = cells
        self.spans = None
        if spans:
            self.pen = spans[-1][1]
            self.spans = list(spans[:-1]) or None


_TEXT: Final[Any] = vars(Row)["text"]
_PEN: Final[Any] = vars(Row)["pen"]
