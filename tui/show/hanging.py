"""A labelled line that is too long for its room goes on under its own text, not under its label."""

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells

Words = tuple[str, str]
"""Text and its style, in theme variables."""
_LEAST = 8


def hanging(line: Sequence[Words], width: int) -> list[list[Words]]:
    """The rows of ``line``, whose first piece is the label, in ``width`` cells; one row where that is hopeless."""
    if len(line) < 2 or (room := width - cell_len(line[0][0])) < _LEAST:
        return [[*line]]
    rows, left = [[line[0]]], room
    for text, style in line[1:]:
        rest = text
        while rest:
            part = chop_cells(rest, left)[0] if left else ""
            if not part or cell_len(part) > left:
                rows.append([(" " * cell_len(line[0][0]), "")])
                left = room
                continue
            rows[-1].append((part, style))
            rest, left = rest[len(part) :], left - cell_len(part)
    return rows
