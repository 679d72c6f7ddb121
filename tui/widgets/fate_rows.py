"""The list of what became of jobs: a line for who and what, and as many as it takes for what can be done."""

import time
from collections.abc import Sequence
from textwrap import wrap

from engine.events import Fate
from tui.show.cleaning import clean_line
from tui.show.fates import glyph, told, tone, words
from tui.show.owners import whose
from tui.show.results import when
from tui.widgets.line import Piece
from tui.widgets.rows import Key, Rows

_INDENT = 3
_LEAST = 20


class FateRows(Rows):
    """Who, what became of it and when; below it what happened and what can be done."""

    def __init__(self, fates: Sequence[Fate]) -> None:
        super().__init__(id="fates")
        self._fates = fates
        self._lines: list[tuple[int, str]] = []
        """Whose line it is, and its text; empty for the first one of each."""
        self.lay_out(80)
        self.selected = 0 if fates else None

    def lay_out(self, width: int) -> None:
        """Lines for so many columns."""
        self._lines = []
        for number, fate in enumerate(self._fates):
            text = wrap(clean_line(told(fate)), max(_LEAST, width - _INDENT - 2))
            self._lines += [(number, ""), *((number, line) for line in text)]

    @property
    def fate(self) -> Fate | None:
        """The one that is selected."""
        return self._fates[self.selected] if isinstance(self.selected, int) and self._fates else None

    @property
    def end(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def key_at(self, number: int) -> Key | None:
        """One is known by its number."""
        return self._lines[number][0] if 0 <= number < self.end else None

    def lines_of(self, key: Key) -> range:
        """Its lines."""
        mine = [number for number, (whose, _) in enumerate(self._lines) if whose == key]
        return range(mine[0], mine[-1] + 1) if mine else range(0)

    def pieces(self, number: int, width: int) -> list[Piece]:  # noqa: ARG002
        """One of its lines."""
        place, text = self._lines[number]
        fate = self._fates[place]
        if text:
            return [Piece(" " * _INDENT), Piece(text, "quiet")]
        at = f"  {when(fate.exited_at, time.time())}" if fate.exited_at is not None else ""
        owner = f"  {whose(fate.owner)}" if fate.owner else ""
        return [
            Piece(f" {glyph(fate)} ", tone(fate)),
            Piece(clean_line(fate.name or fate.command, 60), "name"),
            Piece(f"  {words(fate)}", tone(fate)),
            Piece(f"{at}{owner}", "quiet"),
        ]
