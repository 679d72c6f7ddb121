"""A terminal that hasn't the size of its view: a line where it ends, a mark where there is more of it."""

from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

MORE_LEFT, MORE_RIGHT = "‹", "›"


class Box(NamedTuple):
    """Where a terminal ends in its view, and how that looks."""

    columns: int
    """The terminal's."""
    lines: int
    left: int
    """Columns of it left of what is seen."""
    edge: Style
    """Of the line and the marks."""
    outside: Style


def boxed(strip: Strip, row: int, box: Box) -> Strip:
    """A row as it is seen, counted from the screen's first: cut where the terminal ends, marked where it is cut."""
    width, columns = strip.cell_length, max(0, box.columns - box.left)
    if row > box.lines:
        return Strip([Segment(" " * width, box.outside)], width)
    if columns >= width:
        if row == box.lines:
            return Strip([Segment("─" * width, box.edge)], width)
        return _marked(strip, box, more=columns > width)
    rest = Segment(" " * (width - columns - 1), box.outside)
    if row == box.lines:
        return Strip([Segment("─" * columns + "╯", box.edge), rest], width)
    return Strip.join([_marked(strip.crop(0, columns), box, more=False), Strip([Segment("│", box.edge), rest])])


def _marked(strip: Strip, box: Box, *, more: bool) -> Strip:
    width = strip.cell_length
    if more and width > 1:
        strip = Strip.join([strip.crop(0, width - 1), Strip([Segment(MORE_RIGHT, box.edge)])])
    if box.left and width > 1:
        strip = Strip.join([Strip([Segment(MORE_LEFT, box.edge)]), strip.crop(1)])
    return strip
