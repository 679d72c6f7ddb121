"""The hit feed: every watch hit, end and notice, live, newest below."""

import time
from typing import ClassVar

from textual.binding import BindingType

from tui import keymap
from tui.keymap import BY_ID, key_name
from tui.show.cleaning import clean_line
from tui.signals.hit_log import GLYPHS, HitLog, Kind, Row
from tui.widgets.line import Piece, cut_middle, fitted
from tui.widgets.rows import Key, Rows

_MOST_CELLS = 16
"""The most that a job's name, or a pattern, gets."""
_SHORT = 44
"""With fewer columns the seconds and the pattern go."""


class HitFeed(Rows):
    """Shows the log of hits; while it is scrolled up it keeps its place."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("hits")]
    follows = True

    def __init__(self, log: HitLog) -> None:
        super().__init__(id="hits")
        self._hits = log

    @property
    def hint(self) -> str:
        """The key that begins to watch."""
        return f"{key_name(BY_ID['job.watch'].keys[0])} on a job watches its output"

    @property
    def first(self) -> int:
        """The number of the oldest row that is kept."""
        return self._hits.first

    @property
    def end(self) -> int:
        """The number after the newest row."""
        return self._hits.end

    def key_at(self, number: int) -> Key | None:
        """A row is known by its number."""
        return number if self.first <= number < self.end else None

    def lines_of(self, key: Key) -> range:
        """The one line of a row."""
        return range(key, key + 1) if isinstance(key, int) and self.first <= key < self.end else range(0)

    @property
    def row(self) -> Row | None:
        """The row that is selected."""
        return self._hits.get(self.selected) if isinstance(self.selected, int) else None

    def pieces(self, number: int, width: int) -> list[Piece]:
        """Time, glyph, job, pattern, line."""
        row = self._hits.get(number)
        if row is None:
            return []
        part = max(6, min(_MOST_CELLS, width // 5))
        return row_pieces(row, width, min(part, self._hits.widest_name), min(part, self._hits.widest_pattern))


def row_pieces(row: Row, width: int, name_width: int, pattern_width: int) -> list[Piece]:
    """One row of the feed, its name and its pattern in columns of these cells."""
    short = width < _SHORT
    held = row.kind is Kind.HELD
    at = time.strftime("%H:%M" if short else "%H:%M:%S", time.localtime(row.at))
    pieces = [Piece(f" {at} ", "quiet"), Piece(f"{GLYPHS[row.kind]} ", row.kind)]
    if row.name:
        pieces.append(Piece(cut_middle(clean_line(row.name, 100), name_width) + " ", "held" if held else "name"))
    if row.pattern and not short:
        pieces.append(Piece(fitted(clean_line(row.pattern, 100), pattern_width) + " ", "held" if held else "pattern"))
    if row.note:
        pieces.append(Piece(f"{row.note} ", "held" if held else row.kind if row.kind is not Kind.HIT else "quiet"))
    return [*pieces, Piece(clean_line(row.text, width), "quiet" if held else "text")]
