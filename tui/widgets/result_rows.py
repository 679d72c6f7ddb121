"""The list of retained results, newest above."""

import time
from collections.abc import Sequence

from engine.results import ResultRow
from tui.show.cleaning import clean_line
from tui.show.results import end_words, ended_as, owner, size, when
from tui.show.states import GLYPHS, Look
from tui.widgets.line import Piece, cut_middle, fitted
from tui.widgets.rows import Key, Rows

_TONES = {Look.DONE: "good", Look.FAILED: "bad"}
_NAME, _END, _WHEN, _SIZE = 18, 15, 13, 12
"""Cells of the columns."""
_WIDE = 72
"""With fewer columns size and owner go."""


class ResultRows(Rows, can_focus=False):
    """How it ended, its name, when, how much it printed, whose it was, what it ran."""

    def __init__(self) -> None:
        super().__init__(id="results")
        self._results: Sequence[ResultRow] = ()

    def put(self, results: Sequence[ResultRow]) -> None:
        """Show these."""
        self._results = results
        self.selected = None
        self.changed()
        self.select(0)

    @property
    def result(self) -> ResultRow | None:
        """The one that is selected."""
        return self._results[self.selected] if isinstance(self.selected, int) and self._results else None

    @property
    def end(self) -> int:
        """How many there are."""
        return len(self._results)

    @property
    def marks_selected(self) -> bool:
        """The keys of the text field move it."""
        return True

    def key_at(self, number: int) -> Key | None:
        """A result is known by its number."""
        return number if 0 <= number < len(self._results) else None

    def lines_of(self, key: Key) -> range:
        """Its one row."""
        return range(key, key + 1) if isinstance(key, int) and 0 <= key < len(self._results) else range(0)

    def pieces(self, number: int, width: int) -> list[Piece]:
        """A row."""
        one, wide = self._results[number], width >= _WIDE
        seen = ended_as(one)
        name = cut_middle(clean_line(one.name or one.command, 100), _NAME if wide else max(8, width // 4))
        row = [
            Piece(f" {GLYPHS[seen]} ", _TONES.get(seen, "ended")),
            Piece(f"{name}  ", "name"),
            Piece(f"{fitted(end_words(one), _END)} ", _TONES.get(seen, "ended")),
            Piece(fitted(when(one.exited_at, time.time()), _WHEN), "quiet"),
        ]
        if wide:
            whose = clean_line(owner(one), 60)
            row += [Piece(fitted(size(one.total_output_chars), _SIZE), "quiet"), Piece(f"{whose}  ", "faint")]
        return [*row, Piece(clean_line(one.command, 300), "text")]
