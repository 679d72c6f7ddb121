"""Styles over some cells of a row: the cursor, what is found, what is selected."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip


class Lit(NamedTuple):
    """Cells from ``first`` to before ``last`` in a style."""

    first: int
    last: int
    style: Style


def painted_over(strip: Strip, parts: Sequence[Lit]) -> Strip:
    """The strip with styles over some of its cells; parts come in order and don't overlap."""
    width = strip.cell_length
    cuts: list[int] = []
    styles: list[Style | None] = []
    at = 0
    for first, last, style in parts:
        start, end = max(at, first), min(width, last)
        if start < end:
            cuts += [start, end] if start > at else [end]
            styles += [None, style] if start > at else [style]
            at = end
    if not cuts:
        return strip
    if at < width:
        cuts.append(width)
        styles.append(None)
    pieces = strip.divide(cuts)
    return Strip(
        [
            segment if style is None else Segment(segment.text, (segment.style or style) + style)
            for piece, style in zip(pieces, styles, strict=True)
            for segment in piece
        ],
        width,
    )
