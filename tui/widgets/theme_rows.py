"""The list of themes."""

from collections.abc import Sequence

from textual import events
from textual.theme import Theme

from tui.themes.judging import Weakest, weakest
from tui.themes.legible import LEAST
from tui.widgets.line import Piece, cut_middle
from tui.widgets.picked import Picked

_NAME = 24
"""Cells of the names' column."""


class ThemeRows(Picked[Theme], can_focus=False):
    """Name, and how well it can be read. The row under the mouse is the selected one."""

    def __init__(self) -> None:
        super().__init__(id="theme-rows")
        self._kept = ""
        self._weakest: dict[str, Weakest | None] = {}
        """By names: it is looked for once, not for each frame."""

    def put(self, themes: Sequence[Theme], kept: str, select: int) -> None:
        """Show these; the one that is ``kept`` unless another is chosen has a mark."""
        self._kept = kept
        self.fill(themes, select)

    def row(self, entry: Theme, width: int) -> list[Piece]:
        """A row."""
        if entry.name not in self._weakest:
            self._weakest[entry.name] = weakest(entry)
        weak = self._weakest[entry.name]
        kind = "dark" if entry.dark else "light"
        told = Piece(f"{kind:5}  the terminal's own" if weak is None else f"{kind:5}  {weak.ratio:4.1f} : 1", "quiet")
        poor = weak is not None and weak.ratio < LEAST
        name = cut_middle(entry.name, min(_NAME, max(8, width - 24)))
        return [
            Piece(" ✓ " if entry.name == self._kept else "   ", "good"),
            Piece(f"{name} ", "name"),
            told,
            Piece("  ! poor" if poor else "", "notice"),
        ]

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Select what is pointed at."""
        key = self.key_at(self.top + event.y)
        if key is not None and key != self.selected:
            self.select(key)
