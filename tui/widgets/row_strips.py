"""The rows of a pane's terminal as they are painted: made once, kept, and lit where something is found or selected."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from rich.style import Style
from textual.strip import Strip

from engine.terminal import Spot
from engine.terminal.lines import cells_of
from tui.reading.pattern import in_cells
from tui.reading.selection import TextSelection
from tui.show.addresses import addresses
from tui.show.links import openable
from tui.widgets.emulator import Emulator
from tui.widgets.inks import Inks
from tui.widgets.letterbox import Box, boxed
from tui.widgets.marking import Lit, painted_over

if TYPE_CHECKING:
    from tui.widgets.terminal import TerminalView

CACHED_ROWS = 1_000
_LONGEST_ADDRESS = 2_000
"""Cells of a wrapped line before and after a row's beginning that are looked at for an address."""


class Found(Protocol):
    """What is searched for in a pane."""

    @property
    def active(self) -> bool:
        """Is anything searched for?"""

    def in_row(self, start: Spot, width: int) -> Sequence[tuple[int, int, bool]]:
        """The columns of the matches in a row of this width that begins at ``start``, and whether each is the one."""


class RowStrips:
    """Rows are counted from the screen's first; negative ones lie above it, in the scrollback."""

    def __init__(self, view: "TerminalView", emulator: Emulator, selection: TextSelection) -> None:
        self._view = view
        self._emulator = emulator
        self._selection = selection
        self.found: Found | None = None
        self.made = 0
        """How many were ever made."""
        self.left = 0
        """The first column in sight."""
        self.flashed = range(0)
        """Rows that stand out for a while, by their numbers."""
        self.boxed = False
        """The terminal's size isn't the view's to set: it is shown where it ends."""
        self._cursor = (0, 0, False)
        self._live: dict[int, Strip] = {}
        """The screen's, from 0."""
        self._kept: dict[int, Strip] = {}
        """The scrollback's, by number."""
        self._inks: Inks | None = None

    def drop(self) -> None:
        """Make all anew: they were wrapped anew, or went back to the screen."""
        self._live.clear()
        self._kept.clear()

    def drop_inks(self) -> None:
        """The theme may have changed: mix the inks anew."""
        self._inks = None
        self.drop()

    def changed(self, dirty: set[int], cursor: tuple[int, int, bool]) -> set[int]:
        """These rows of the screen changed, and the cursor stands there, or is hidden: which are to be painted."""
        if cursor != self._cursor:
            dirty = dirty | {cursor[0], self._cursor[0]}
            self._cursor = cursor
        for row in dirty:
            self._live.pop(row, None)
        return dirty

    def strip(self, row: int) -> Strip:
        """A row as it is painted."""
        emulator = self._emulator
        number = emulator.total + row if row < 0 else -1
        cache, key = (self._kept, number) if row < 0 else (self._live, row)
        strip = cache.get(key)
        if strip is None:
            self.made += 1
            strip = self._plain(row, number)
            if len(cache) > CACHED_ROWS:
                cache.clear()
            cache[key] = strip
        lit = self._lit(row)
        if self.flashed and emulator.total + row in self.flashed:
            strip = painted_over(strip, [Lit(0, strip.cell_length, self._style("flash"))])
        return painted_over(strip, lit) if lit else strip

    def _plain(self, row: int, number: int) -> Strip:
        emulator = self._emulator
        runs = emulator.runs(number) if row < 0 else emulator.screen_runs(row)
        strip = self.inks.strip(runs, self.left, self._view.size.width)
        if (emulator.goes_on(row) or any("://" in text for text, _ in runs)) and not any(pen.link for _, pen in runs):
            strip = painted_over(strip, self._links(row, number))
        cursor_row, column, shown = self._cursor
        if row == cursor_row and shown:
            x = min(column, emulator.screen.columns - 1) - self.left
            strip = painted_over(strip, [Lit(x, x + 1, self._style("cursor"))])
        return boxed(strip, row, self._box()) if self.boxed else strip

    def _box(self) -> Box:
        screen = self._emulator.screen
        return Box(screen.columns, screen.lines, self.left, self._style("edge"), self._style("outside"))

    def _links(self, row: int, number: int) -> list[Lit]:
        """The addresses in a row of plain text: links, for the terminal to open. They may wrap."""
        emulator = self._emulator
        start = emulator.lines.spot(number) if row < 0 else emulator.lines.of_screen_row(row)
        low = max(0, start.cell - _LONGEST_ADDRESS)
        cells = cells_of(emulator.lines.line(start.line))[low : start.cell + _LONGEST_ADDRESS]
        text, first = "".join(cells), start.cell - low
        spans = addresses(text)
        targets = [text[low:high] for low, high in spans]
        if spans and not isinstance(cells, str):
            spans = in_cells(cells, spans)
        return [
            Lit(low - first - self.left, min(high - first, emulator.screen.columns) - self.left, Style(link=target))
            for (low, high), target in zip(spans, targets, strict=True)
            if high > first and openable(target)
        ]

    def _lit(self, row: int) -> list[Lit]:
        searching = self.found is not None and self.found.active
        if not searching and self._selection.span is None:
            return []
        emulator = self._emulator
        if row >= 0:
            if row >= emulator.screen.lines:
                return []
            start = emulator.lines.of_screen_row(row)
        else:
            if emulator.total + row < emulator.first:
                return []
            start = emulator.lines.spot(emulator.total + row)
        width, left = self._view.size.width, self.left
        parts: list[Lit] = []
        if searching and self.found is not None:
            found, current = self._style("found"), self._style("current")
            for first, last, is_current in self.found.in_row(start, emulator.screen.columns):
                if not is_current and parts and parts[-1].last == first - left and parts[-1].style is found:
                    parts[-1] = parts[-1]._replace(last=last - left)
                else:
                    parts.append(Lit(first - left, last - left, current if is_current else found))
        selected = self._selection.columns(start, left + width)
        if selected is None:
            return parts
        first, last = selected[0] - left, selected[1] - left
        around = [
            part
            for old in parts
            for part in (old._replace(last=min(old.last, first)), old._replace(first=max(old.first, last)))
            if part.first < part.last
        ]
        return sorted([*around, Lit(first, last, self._style("selection"))], key=lambda part: part.first)

    def _style(self, name: str) -> Style:
        return self._view.get_component_rich_style(f"terminal--{name}")

    @property
    def inks(self) -> Inks:
        """The theme's colours for pens."""
        if self._inks is None:
            view = self._view
            background, foreground = view.background_colors[1], view.colors[3]
            self._inks = Inks(view.app.theme_variables, foreground, background)
        return self._inks
