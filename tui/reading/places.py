"""Places in a terminal's lines: from rows and columns of a view to spots, and on to what is next to them."""

import re

from engine.terminal import Line, LogicalLines, Spot
from engine.terminal.lines import breaks, cells_of

_WORD = re.compile(r"[^\s\"'`()\[\]{}<>|,;│┃─━]+|[\"'`()\[\]{}<>|,;│┃─━]|\s+")
"""What a double click takes: a path, an address, a number; else a single sign or the blanks."""
_LONG = 1_000
"""Only longer lines can be one that is kept in parts."""


def spot_at(lines: LogicalLines, row: int, column: int) -> Spot:
    """The cell under a column of a row, at a character's first one; a text's end for what is right of it."""
    start = lines.spot(row)
    cells = cells_of(lines.line(start.line))
    cell = min(start.cell + max(0, column), row_end(lines, start))
    while 0 < cell < len(cells) and cells[cell] == "":
        cell -= 1
    return Spot(start.line, cell)


def row_end(lines: LogicalLines, start: Spot) -> int:
    """Where, in its line, the row ends that begins at ``start``."""
    line = lines.line(start.line)
    later = [at for at in breaks(line, lines.columns) if at > start.cell]
    return later[0] if later else max(start.cell, len(cells_of(line)))


def after(lines: LogicalLines, spot: Spot) -> Spot:
    """The spot after the character at ``spot``; from a line's end the next line's beginning."""
    cells = cells_of(lines.line(spot.line))
    cell = spot.cell + 1
    while cell < len(cells) and cells[cell] == "":
        cell += 1
    if cell <= len(cells):
        return Spot(spot.line, cell)
    return Spot(spot.line + 1, 0) if spot.line + 1 < lines.end else Spot(spot.line, len(cells))


def before(lines: LogicalLines, spot: Spot) -> Spot:
    """The spot before; from a line's beginning the end of the line above."""
    cells = cells_of(lines.line(spot.line))
    cell = min(spot.cell, len(cells)) - 1
    while cell > 0 and cells[cell] == "":
        cell -= 1
    if cell >= 0:
        return Spot(spot.line, cell)
    return Spot(spot.line - 1, len(cells_of(lines.line(spot.line - 1)))) if spot.line > lines.first else spot


def character(lines: LogicalLines, spot: Spot) -> tuple[Spot, Spot]:
    """The character at a spot, all its cells; nothing right of the text."""
    cells = cells_of(lines.line(spot.line))
    if spot.cell >= len(cells):
        end = Spot(spot.line, len(cells))
        return end, end
    return spot, after(lines, spot)


def word(lines: LogicalLines, spot: Spot) -> tuple[Spot, Spot]:
    """The word at a spot."""
    cells = cells_of(lines.line(spot.line))
    # A character a cell: only the first of a cluster tells what it is, and the right half of a wide one is as its left.
    plain = "".join(cell[0] if cell else "x" for cell in cells)
    for found in _WORD.finditer(plain):
        if found.start() <= spot.cell < found.end():
            return Spot(spot.line, found.start()), Spot(spot.line, found.end())
    end = Spot(spot.line, len(cells))
    return end, end


def whole(lines: LogicalLines, spot: Spot) -> tuple[Spot, Spot]:
    """The line at a spot, with those that it goes on in."""
    first = last = spot.line
    while first > lines.first and lines.goes_on(first - 1):
        first -= 1
    while lines.goes_on(last):
        last += 1
    return Spot(first, 0), Spot(last, len(cells_of(lines.line(last))))


def cut_text(line: Line, start: int, end: int | None) -> str:
    """The text of the cells from ``start`` to before ``end`` (None: all), trailing blanks and all."""
    cells = cells_of(line)[start:end]
    return cells if isinstance(cells, str) else "".join(cells)


def text_between(lines: LogicalLines, start: Spot, end: Spot) -> str:
    """The text from ``start`` to before ``end``: wrapped rows joined, trailing blanks gone."""
    pieces: list[str] = []
    for number, line in lines.between(start.line, end.line + 1):
        text = cut_text(line, start.cell if number == start.line else 0, end.cell if number == end.line else None)
        goes_on = len(cells_of(line)) >= _LONG and lines.goes_on(number)
        pieces.append(text if goes_on else text.rstrip() + "\n")
    return "".join(pieces).rstrip("\n")
