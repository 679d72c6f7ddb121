"""The column left of a pane's view: bookmarks, and a quiet mark where a line matches one of the job's patterns."""

from collections.abc import Callable
from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.strip import Strip

from tui.reading.bookmarks import Bookmarks
from tui.widgets.finding import joined
from tui.widgets.sized import Sized
from tui.widgets.terminal import TerminalView

Matches = Callable[[str], bool]
MARK, HERE, BOOKMARK = "⚑", "▶", "◆"
_NAMES = {MARK: "mark", HERE: "here", BOOKMARK: "bookmark"}
_CACHED = 4_096
_LONGEST_ROWS = 40
"""Of a line that wraps over more rows than this, only so many are looked at."""


class Gutter(Sized):
    """Looks only at the rows in sight, and only while the job has patterns or bookmarks. A click sets a bookmark."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"gutter--mark", "gutter--here", "gutter--bookmark"}

    def __init__(self, view: TerminalView) -> None:
        super().__init__()
        self._view = view
        self.bookmarks = Bookmarks()
        self._realigned = view.emulator.fresh
        self._matches: Matches | None = None
        self._found: dict[int, bool] = {}
        self._counted = (-1, -1)
        """The fresh start and the width that row numbers belong to."""
        self._least = (0, 0)
        """How many rows stood above the screen when they were counted last, and the screen's height then."""
        self._shown: list[str] = []
        self.here: range = range(0)
        """The rows that were gone to last."""
        self._here_line = 0
        """The number of the line that they belong to: it stays when lines are wrapped anew."""

    def mark(self, matches: Matches | None) -> None:
        """Mark the lines that match this; None marks nothing."""
        self._matches = matches
        self._found.clear()
        self.renew()

    def go(self, rows: range) -> None:
        """These rows were gone to."""
        self._forget_renumbered()
        self.here, self._least = rows, (0, 0)
        if rows:
            self._here_line = self._view.emulator.lines.spot(rows.start).line
        self.renew()

    def renew(self) -> None:
        """The view may show other rows: paint the marks if they aren't the same."""
        if self._matches is None and not self.here and not self._shown and not self.bookmarks:
            return
        self._forget_renumbered()
        lead = self._view.lead
        here = self._here(lead)
        marks = [self._mark(lead + y, here) for y in range(self.size.height)]
        if marks != self._shown:
            self._shown = marks
            self.refresh()

    def size_changed(self) -> None:
        """More rows, or fewer."""
        self.renew()

    def _forget_renumbered(self) -> None:
        emulator = self._view.emulator
        if self._counted != (counted := (emulator.fresh, emulator.screen.columns)):
            wrapped = self.here and self._counted[0] == emulator.fresh and self._here_line >= emulator.lines.first
            self._counted = counted
            self._found.clear()
            self.here, self._least = emulator.lines.rows(self._here_line) if wrapped else range(0), (0, 0)

    def _here(self, lead: int) -> range:
        """The rows that were gone to, counted from the screen's first; none if they can't be in sight.

        Rows that go by unseen aren't counted for rows that lie above the screen since long.
        """
        if not self.here:
            return self.here
        emulator = self._view.emulator
        above, lines = self._least
        if lead >= 0 and lines == emulator.screen.lines and self.here.stop <= above:
            return range(0)
        total = emulator.total
        self._least = total, emulator.screen.lines
        return range(self.here.start - total, self.here.stop - total)

    # Bookmarks

    def bookmark(self, number: int) -> None:
        """Mark the line of this number, or take its mark away."""
        emulator = self._view.emulator
        self.bookmarks.toggle(emulator.lines_gone + number, emulator.lines.text(number))
        self.renew()

    def next_bookmark(self) -> int | None:
        """The line of the next bookmark after the one that keys mean, round at the end."""
        emulator = self._view.emulator
        self.bookmarks.drop_before(emulator.lines_gone + emulator.lines.first)
        found = self.bookmarks.after(emulator.lines_gone + self._view.current_line())
        return found - emulator.lines_gone if found is not None else None

    def find_bookmarks_again(self) -> None:
        """What the terminal holds is whole: after a fresh start, its lines may have other numbers."""
        emulator = self._view.emulator
        if self._realigned != emulator.fresh:
            self._realigned = emulator.fresh
            if self.bookmarks:
                self.bookmarks.find_again(emulator.lines, emulator.lines_gone)
                self.renew()

    def _on_click(self, event: events.Click) -> None:  # type: ignore[override]
        event.stop()
        emulator = self._view.emulator
        row = self._view.lead + event.y
        if row < emulator.screen.lines and emulator.total + row >= emulator.first:
            self.bookmark(emulator.lines.spot(emulator.total + row).line)

    def _bookmarked(self, row: int) -> bool:
        emulator = self._view.emulator
        if row >= emulator.screen.lines or (row < 0 and emulator.total + row < emulator.first):
            return False
        spot = emulator.lines.of_screen_row(row) if row >= 0 else emulator.lines.spot(emulator.total + row)
        return spot.cell == 0 and emulator.lines_gone + spot.line in self.bookmarks

    def _mark(self, row: int, here: range) -> str:
        """The mark of a row, counted from the screen's first: above it in the scrollback if negative."""
        emulator = self._view.emulator
        if self.bookmarks and self._bookmarked(row):
            return BOOKMARK
        if row in here:
            return HERE if row == here.start else " "
        if self._matches is None or row >= emulator.screen.lines:
            return " "
        if row >= 0:
            found = self._matching(row)
        else:
            number = emulator.total + row
            if number < emulator.first:
                return " "
            known = self._found.get(number)
            found = self._matching(row) if known is None else known
            if len(self._found) > _CACHED:
                self._found.clear()
            self._found[number] = found
        return MARK if found else " "

    def _matching(self, row: int) -> bool:
        emulator = self._view.emulator
        if emulator.goes_on(row):
            return False
        end = row + 1
        while end < min(row + _LONGEST_ROWS, emulator.screen.lines) and emulator.goes_on(end):
            end += 1
        rows = ["".join(text for text, _ in emulator.screen_runs(at)) for at in range(row, end)]
        text = joined(rows, emulator.screen.columns)
        return self._matches is not None and bool(text) and self._matches(text)

    def render_line(self, y: int) -> Strip:
        """One cell."""
        mark = self._shown[y] if y < len(self._shown) else " "
        style = self.rich_style
        if mark != " ":
            style += self.get_component_rich_style(f"gutter--{_NAMES[mark]}", partial=True)
        return Strip([Segment(mark, style)])
