"""How several panes share the room: how many columns and rows of them, or that there is no room for so many."""

from typing import NamedTuple

MOST = 4
"""Panes side by side at most."""
LEAST_COLUMNS, GOOD_COLUMNS = 40, 60
"""Cells that a pane needs with its frame: beside one other, and beside more."""
LEAST_ROWS = 8


class Tiling(NamedTuple):
    """A grid of panes, filled row by row."""

    columns: int
    rows: int

    def tall(self, panes: int) -> bool:
        """Does the first pane stand over all rows, because one is missing to fill the grid?"""
        return self.rows > 1 and panes < self.columns * self.rows


def tiling(panes: int, width: int, height: int) -> Tiling | None:
    """As many side by side as are still wide enough, the others below; None where there is no room for so many."""
    if panes <= 1:
        return Tiling(1, 1)
    for columns in range(panes, 0, -1):
        rows = -(-panes // columns)
        if columns * rows - panes > 1 or (panes == 4 and columns == 3):
            continue
        least = GOOD_COLUMNS if columns > 2 else LEAST_COLUMNS if columns == 2 else 1
        if width // columns >= least and height // rows >= LEAST_ROWS:
            return Tiling(columns, rows)
    return None


def fitting(names: list[str], chosen: str, width: int, height: int) -> list[str]:
    """Of these panes, as many as there is room for, in their order; the chosen one is among them."""
    count = next(count for count in range(min(len(names), MOST), 0, -1) if tiling(count, width, height) is not None)
    at = names.index(chosen)
    first = max(0, min(at, len(names) - count))
    return names[first : first + count]
