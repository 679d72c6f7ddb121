"""The column left of a pane's view: a quiet mark where a line matches one of the job's patterns."""

from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip

from tui.widgets.finding import logical_text
from tui.widgets.sized import Sized
from tui.widgets.terminal import TerminalView

Matches = Callable[[str], bool]
MARK, HERE = "⚑", "▶"
_CACHED = 4_096
_LONGEST_ROWS = 40
"""Of a line that wraps over more rows than this, only so many are looked at."""


class Gutter(Sized):
    """Looks only at the rows in sight, and only while the job has patterns."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"gutter--mark", "gutter--here"}

    def __init__(self, view: TerminalView) -> None:
        super().__init__()
        self._view = view
        self._matches: Matches | None = None
        self._found: dict[int, bool] = {}
        self._counted = (-1, -1)
        """The fresh start and the width that row numbers belong to."""
        self._shown: list[str] = []
        self.here: range = range(0)
        """The rows that were gone to last."""

    def mark(self, matches: Matches | None) -> None:
        """Mark the lines that match this; None marks nothing."""
        self._matches = matches
        self._found.clear()
        self.renew()

    def go(self, rows: range) -> None:
        """These rows were gone to."""
        self._forget_renumbered()
        self.here = rows
        self.renew()

    def renew(self) -> None:
        """The view may show other rows: paint the marks if they aren't the same."""
        if self._matches is None and not self.here and not self._shown:
            return
        self._forget_renumbered()
        top = self._view.top
        marks = [self._mark(top + y) for y in range(self.size.height)]
        if marks != self._shown:
            self._shown = marks
            self.refresh()

    def size_changed(self) -> None:
        """More rows, or fewer."""
        self.renew()

    def _forget_renumbered(self) -> None:
        emulator = self._view.emulator
        if self._counted != (counted := (emulator.fresh, emulator.screen.columns)):
            self._counted = counted
            self._found.clear()
            self.here = range(0)

    def _mark(self, row: int) -> str:
        emulator = self._view.emulator
        if row in self.here:
            return HERE if row == self.here.start else " "
        if self._matches is None or not emulator.first <= row < emulator.end:
            return " "
        kept = row < emulator.total
        found = self._found.get(row) if kept else None
        if found is None:
            found = self._matching(row)
            if kept:
                if len(self._found) > _CACHED:
                    self._found.clear()
                self._found[row] = found
        return MARK if found else " "

    def _matching(self, row: int) -> bool:
        emulator = self._view.emulator
        if row > emulator.first and emulator.wrapped(row - 1):
            return False
        end = row + 1
        while end < min(row + _LONGEST_ROWS, emulator.end) and emulator.wrapped(end - 1):
            end += 1
        text = logical_text(emulator, row, end)
        return self._matches is not None and bool(text) and self._matches(text)

    def render_line(self, y: int) -> Strip:
        """One cell."""
        mark = self._shown[y] if y < len(self._shown) else " "
        style = self.rich_style
        if mark != " ":
            style += self.get_component_rich_style("gutter--here" if mark == HERE else "gutter--mark", partial=True)
        return Strip([Segment(mark, style)])
