"""The list of what agents do: batches with their children, and background agents; the newest above."""

from collections.abc import Sequence

from tui.show.ages import clock
from tui.show.batches import glyph, progress
from tui.show.cleaning import clean_line
from tui.show.owners import whose
from tui.signals.batches import Entry
from tui.widgets.line import Piece, fitted
from tui.widgets.rows import Key, Rows

_STATE_CELLS = 11


class AgentRows(Rows):
    """A row each; it is known by its id, so that the selection stays while others come."""

    hint = "no agent does anything: 'jobdeck delegate TASK…' has some do tasks"

    def __init__(self) -> None:
        super().__init__(id="agents")
        self._entries: Sequence[Entry] = ()
        self._places: dict[str, int] = {}
        self._now = 0.0

    def put(self, entries: Sequence[Entry], now: float) -> None:
        """Show these."""
        self._entries, self._now = entries, now
        self._places = {entry.id: number for number, entry in enumerate(entries)}
        self.changed()

    @property
    def chosen(self) -> Entry | None:
        """The one that is selected."""
        number = self._places.get(str(self.selected))
        return self._entries[number] if number is not None else None

    @property
    def marks_selected(self) -> bool:
        """Its keys work on it, whatever has the focus."""
        return True

    @property
    def end(self) -> int:
        """How many there are."""
        return len(self._entries)

    def key_at(self, number: int) -> Key | None:
        """An entry's id."""
        return self._entries[number].id if 0 <= number < self.end else None

    def lines_of(self, key: Key) -> range:
        """Its one row."""
        number = self._places.get(str(key))
        return range(number, number + 1) if number is not None else range(0)

    def pieces(self, number: int, width: int) -> list[Piece]:  # noqa: ARG002
        """Sign, state, time, what it is about."""
        entry = self._entries[number]
        sign, tone = glyph(entry)
        if entry.handle is not None:
            one = entry.handle
            took = clock((one.ended_at or self._now) - one.started_at) if one.started_at is not None else ""
            role = f"{clean_line(one.role, 20)} · " if one.role else ""
            return [
                Piece(f"   {sign} ", tone),
                Piece(fitted(str(one.status), _STATE_CELLS), tone),
                Piece(f"{took:>6}  ", "quiet"),
                Piece(f"{role}{clean_line(one.goal, 300)}", "text"),
            ]
        if entry.batch is not None:
            took = clock((entry.batch.ended_at or self._now) - entry.batch.started_at)
            return [
                Piece(f" {sign} ", tone),
                Piece(f"{clean_line(entry.batch.name, 60)}  ", "name"),
                Piece(f"{progress(entry.batch)}  ", tone),
                Piece(f"{took}  {whose(entry.batch.owner)}", "quiet"),
            ]
        job = entry.job
        if job is None:
            return []
        took = clock((job.exited_at or self._now) - job.started_at)
        return [
            Piece(f" {sign} ", tone),
            Piece(f"{clean_line(job.name or job.command, 60)}  ", "name"),
            Piece(f"background  {took}  {whose(job.owner)}", "quiet"),
        ]
