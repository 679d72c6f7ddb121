"""What is selected in a pane: from one spot of its text to another, whatever scrolls by meanwhile."""

from collections.abc import Callable
from typing import TypeAlias

from engine.terminal import LogicalLines, Spot
from tui.reading import places

Unit: TypeAlias = Callable[[LogicalLines, Spot], tuple[Spot, Spot]]
"""What a spot stands for: its character, its word or its line."""


class TextSelection:
    """Grows from where it began, by whole units, or by the head alone when keys move it."""

    def __init__(self, lines: Callable[[], LogicalLines]) -> None:
        self._lines = lines
        """Those of the terminal now: a fresh start has others."""
        self._origin: tuple[Spot, Spot] | None = None
        self._head: Spot | None = None
        self._unit: Unit = places.character
        self.version = 0
        """Counts changes."""

    @property
    def span(self) -> tuple[Spot, Spot] | None:
        """From where to before where; None when nothing is selected."""
        if self._origin is None or self._head is None:
            return None
        start, end = min(self._origin[0], self._head), max(self._origin[1], self._head)
        first = self._lines().first
        if end.line < first or start == end:
            return None
        return (start if start.line >= first else Spot(first, 0)), end

    @property
    def head(self) -> Spot | None:
        """The end that moves."""
        return self._head

    @property
    def text(self) -> str:
        """What is selected, as text; empty for nothing."""
        span = self.span
        return places.text_between(self._lines(), *span) if span is not None else ""

    def clear(self) -> None:
        """Select nothing."""
        if self._origin is not None:
            self._origin = self._head = None
            self.version += 1

    def begin(self, spot: Spot, unit: Unit = places.character) -> None:
        """Select the unit at ``spot``; it grows by such units."""
        self._unit = unit
        self._origin = unit(self._lines(), spot)
        self._head = self._origin[1]
        self.version += 1

    def reach(self, spot: Spot) -> None:
        """Let it reach to the unit at ``spot``, whichever side of the beginning that is on."""
        if self._origin is not None:
            start, end = self._unit(self._lines(), spot)
            self._head = start if start < self._origin[0] else end
            self.version += 1

    def move_head(self, head: Spot, caret: Spot) -> None:
        """Move the end alone; what wasn't begun begins at ``caret``."""
        if self._origin is None:
            self._origin = (caret, caret)
        self._head = head
        self.version += 1

    def all_of(self, start: Spot, end: Spot) -> None:
        """Select from there to there."""
        self._origin, self._head = (start, end), end
        self.version += 1

    def columns(self, row_start: Spot, width: int) -> tuple[int, int] | None:
        """Which columns of a row are selected, whose first cell is ``row_start``; lines are lit to their end."""
        span = self.span
        if span is None or not span[0].line <= row_start.line <= span[1].line:
            return None
        start, end = span
        first = max(0, start.cell - row_start.cell) if start.line == row_start.line else 0
        last = min(width, end.cell - row_start.cell) if end.line == row_start.line else width
        return (first, last) if first < last else None
