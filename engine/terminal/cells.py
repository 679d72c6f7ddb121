"""Cells as pyte gives them: ``screen.buffer[y][x]``, read-only, made when somebody looks."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from pyte.screens import Char

from engine.terminal.pens import DEFAULT, Pen

if TYPE_CHECKING:
    from engine.terminal.canvas import Canvas
    from engine.terminal.rows import Row


class Cell(Char):
    """pyte's ``Char`` with all that its pen knows beside it; equal to a ``Char`` of the same nine fields."""

    pen: Pen = DEFAULT

    @classmethod
    def of(cls, data: str, pen: Pen) -> "Cell":
        """The cell that holds ``data`` drawn with ``pen``."""
        cell = cls(
            data,
            pen.fg,
            pen.bg,
            pen.bold,
            pen.italics,
            pen.underscore,
            pen.strikethrough,
            pen.reverse,
            pen.blink,
        )
        cell.pen = pen
        return cell

    @property
    def faint(self) -> bool:
        """SGR 2."""
        return self.pen.faint

    @property
    def conceal(self) -> bool:
        """SGR 8."""
        return self.pen.conceal

    @property
    def overline(self) -> bool:
        """SGR 53."""
        return self.pen.overline

    @property
    def underline_style(self) -> int:
        """0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed."""
        return self.pen.underline_style

    @property
    def underline_color(self) -> str:
        """SGR 58."""
        return self.pen.underline_color

    @property
    def link(self) -> str:
        """The target of an OSC 8 link, or empty."""
        return self.pen.link


class LineView(Mapping[int, Cell]):
    """One row by column; the right half of a wide character has empty ``data``."""

    def __init__(self, row: "Row", columns: int) -> None:
        self._row = row
        self._columns = columns

    def __getitem__(self, x: int) -> Cell:
        if not 0 <= x < self._columns:
            return Cell.of(" ", DEFAULT)
        return Cell.of(*self._row.cell(x))

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._columns))

    def __len__(self) -> int:
        return self._columns


class BufferView(Mapping[int, LineView]):
    """The visible rows by number."""

    def __init__(self, screen: "Canvas") -> None:
        self._screen = screen

    def __getitem__(self, y: int) -> LineView:
        return LineView(self._screen.rows[y], self._screen.columns)

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._screen.lines))

    def __len__(self) -> int:
        return self._screen.lines
