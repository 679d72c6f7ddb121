"""The cursor and the selection on a terminal's rows, and what is selected as text."""

from collections.abc import Iterable

from rich.segment import Segment
from rich.style import Style
from textual.selection import Selection
from textual.strip import Strip

from tui.widgets.emulator import Emulator


def painted_over(strip: Strip, first: int, last: int, style: Style) -> Strip:
    """The strip with ``style`` over its cells from ``first`` to before ``last``."""
    if first < 0 or last <= first or first >= strip.cell_length:
        return strip
    middle = [Segment(piece.text, (piece.style or style) + style) for piece in strip.crop(first, last)]
    return Strip.join([strip.crop(0, first), Strip(middle), strip.crop(last)])


def cells(strip: Strip, start: int, end: int | None) -> tuple[int, int]:
    """The cells of the characters from ``start`` to before ``end``; None is the strip's end."""
    text = strip.text
    first = Segment(text[: max(0, start)]).cell_length
    return first, strip.cell_length if end is None else Segment(text[: max(0, end)]).cell_length


def selected_text(emulator: Emulator, selection: Selection) -> str:
    """What is selected: wrapped rows joined, trailing blanks gone."""
    return "".join(_pieces(emulator, selection)).rstrip("\n")


def _pieces(emulator: Emulator, selection: Selection) -> Iterable[str]:
    first = emulator.first if selection.start is None else max(selection.start.y, emulator.first)
    last = emulator.end - 1 if selection.end is None else min(selection.end.y, emulator.end - 1)
    for row in range(first, last + 1):
        span = selection.get_span(row)
        if span is not None:
            text = emulator.text(row)
            piece = text[span[0] :] if span[1] < 0 else text[span[0] : span[1]]
            yield piece if emulator.wrapped(row) else piece.rstrip() + "\n"
