"""The list of retained results, newest above."""

import time
from collections.abc import Sequence

from engine.results import ResultRow
from tui.show.cleaning import clean_line
from tui.show.results import end_words, ended_as, owner, size, when
from tui.show.states import GLYPHS, Look
from tui.widgets.line import Piece, cut_middle, fitted
from tui.widgets.picked import Picked

_TONES = {Look.DONE: "good", Look.FAILED: "bad"}
_NAME, _END, _WHEN, _SIZE = 18, 15, 13, 12
"""Cells of the columns."""
_WIDE = 72
"""With fewer columns size and owner go."""


class ResultRows(Picked[ResultRow], can_focus=False):
    """How it ended, its name, when, how much it printed, whose it was, what it ran."""

    def __init__(self) -> None:
        super().__init__(id="results")

    def put(self, results: Sequence[ResultRow]) -> None:
        """Show these."""
        self.fill(results, 0)

    def row(self, entry: ResultRow, width: int) -> list[Piece]:
        """A row."""
        one, wide = entry, width >= _WIDE
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
            row += [Piece(fitted(size(one.total_output_chars), _SIZE), "quiet"), Piece(f"{whose}  ", "quiet")]
        return [*row, Piece(clean_line(one.command, 300), "text")]
