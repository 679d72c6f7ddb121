"""The lines that a search over all jobs found, newest below."""

from collections.abc import Callable, Sequence

from engine.results import FoundLine
from tui.show.cleaning import clean_line
from tui.widgets.line import Piece, cut_middle
from tui.widgets.picked import Picked

_MOST_NAME = 18
_BEFORE = 24
"""Characters of a line that are shown before its match, where not all of it fits."""


Match = Callable[[str], range | None]
"""Which characters of a line match, if any do."""


class FoundLines(Picked[FoundLine], can_focus=False):
    """Job, number, line; what matched stands out."""

    def __init__(self, name_of: Callable[[str], str]) -> None:
        super().__init__(id="found")
        self._name_of = name_of
        self._match: Match | None = None

    def put(self, lines: Sequence[FoundLine], match: Match | None) -> None:
        """Show these; ``match`` finds in a line what is to stand out."""
        self._match = match
        self.fill(lines, len(lines) - 1)

    def row(self, entry: FoundLine, width: int) -> list[Piece]:
        """A row."""
        name = min(_MOST_NAME, max(6, width // 5))
        head = [
            Piece(f" {cut_middle(clean_line(self._name_of(entry.session_id), 100), name)} ", "name"),
            Piece(f"{entry.line + 1:>7,}  ", "quiet"),
        ]
        return [*head, *self._text(entry.text, width - name - 11)]

    def _text(self, text: str, room: int) -> list[Piece]:
        line = clean_line(text.expandtabs(), 1_000)
        match = self._match(line) if self._match is not None else None
        if match is None or match.start == match.stop:
            return [Piece(line, "text")]
        start = max(0, match.start - _BEFORE) if match.stop > room - 1 else 0
        lead = "…" if start else ""
        return [
            Piece(lead + line[start : match.start], "text"),
            Piece(line[match.start : match.stop], "hit"),
            Piece(line[match.stop :], "text"),
        ]
