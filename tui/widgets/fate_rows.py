"""The list of what became of jobs, two lines each."""

import time
from collections.abc import Sequence

from engine.events import Fate
from tui.show.cleaning import clean_line
from tui.show.fates import glyph, told, tone, words
from tui.show.results import when
from tui.widgets.line import Piece
from tui.widgets.rows import Key, Rows

_LINES = 2


class FateRows(Rows):
    """Who, what became of it and when; below it what happened and what can be done."""

    def __init__(self, fates: Sequence[Fate]) -> None:
        super().__init__(id="fates")
        self._fates = fates
        self.selected = 0 if fates else None

    @property
    def fate(self) -> Fate | None:
        """The one that is selected."""
        return self._fates[self.selected] if isinstance(self.selected, int) and self._fates else None

    @property
    def end(self) -> int:
        """How many lines there are."""
        return _LINES * len(self._fates)

    def key_at(self, number: int) -> Key | None:
        """One is known by its number."""
        return number // _LINES if 0 <= number < self.end else None

    def lines_of(self, key: Key) -> range:
        """Its two lines."""
        known = isinstance(key, int) and 0 <= key < len(self._fates)
        return range(_LINES * int(key), _LINES * (int(key) + 1)) if known else range(0)

    def pieces(self, number: int, width: int) -> list[Piece]:
        """One of its lines."""
        fate = self._fates[number // _LINES]
        if number % _LINES:
            return [Piece("   "), Piece(clean_line(told(fate), width), "quiet")]
        at = f"  {when(fate.exited_at, time.time())}" if fate.exited_at is not None else ""
        whose = f"  agent {clean_line(fate.owner, 40)}" if fate.owner else ""
        return [
            Piece(f" {glyph(fate)} ", tone(fate)),
            Piece(clean_line(fate.name or fate.command, 60), "name"),
            Piece(f"  {words(fate)}", tone(fate)),
            Piece(f"{at}{whose}", "faint"),
        ]
