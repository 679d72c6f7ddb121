"""One line over the stack: what came of agents' work, until it was read."""

from collections.abc import Sequence

from tui.keymap import BY_ID, key_name
from tui.show.batches import batch_glyph, counts
from tui.show.cleaning import clean_line
from tui.signals.batches import Batches
from tui.widgets.line import Line, Piece, width_of

_CLICK = "do:agents.open"
_TONES = {"good": "$success", "bad": "bold $error"}


class BatchesLine(Line):
    """There only while there is something new; a click or its key shows it in full."""

    def __init__(self, batches: Batches) -> None:
        super().__init__(id="batches-line")
        self._batches = batches
        self.display = False

    def tell(self) -> None:
        """Show it, or that there is nothing new."""
        self.display = bool(self._batches.unread)
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """The newest by name, the others by number."""
        key = Piece(f"{key_name(BY_ID['agents.open'].keys[0])} ", "bold $footer-key-foreground", _CLICK)
        if not self._batches.unread:
            return [], []
        newest, more = self._batches.unread[-1], len(self._batches.unread) - 1
        batch, job = self._batches.batch(newest), self._batches.background(newest)
        sign, tone = ("✗", "bad") if job is not None and job.failed else ("✓", "good")
        name, how = (job.name if job is not None else newest), ""
        if batch is not None:
            (sign, tone), name, how = batch_glyph(batch), batch.name, counts(batch)
        others = f" +{more}" if more else ""
        line: list[Piece] = []
        for shown in (30, 16, 8, 0):
            line = [
                Piece(f" {sign} ", _TONES.get(tone, "$quiet"), _CLICK),
                Piece(f"{clean_line(name, shown)}  " if shown else "", "$foreground", _CLICK),
                Piece(f"{how}{others} ", "$quiet", _CLICK),
            ]
            if width_of([*line, key]) < width:
                break
        return line, [key]
