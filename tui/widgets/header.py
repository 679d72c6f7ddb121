"""The top line: whose console this is, what runs, what failed, what time it is."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from textual.reactive import reactive

from tui.show.states import GLYPHS, Look, look
from tui.store import Slot
from tui.widgets.line import Line, Piece

_SHOWN: tuple[tuple[Look, str], ...] = (
    (Look.RUNNING, "$success"),
    (Look.FAILED, "$error"),
    (Look.KILLED, "$warning"),
    (Look.LOST, "$warning"),
    (Look.DONE, "$quiet"),
)


class Header(Line):
    """Counts by state, each with its glyph and its word; the clock at the right."""

    stopped: reactive[str] = reactive("")
    """Why nothing on the screen is live any more; empty while all is well."""

    def __init__(self) -> None:
        super().__init__(id="header")
        self._counts: Counter[Look] = Counter()

    def on_mount(self) -> None:
        """Start the clock: once a minute, on the minute."""
        self.set_timer(60 - time.time() % 60, self._minute)

    def _minute(self) -> None:
        self.renew()
        self.set_timer(60 - time.time() % 60, self._minute)

    def count(self, slots: Iterable[Slot]) -> None:
        """Show how many jobs are in which state."""
        counts = Counter(look(slot.job) for slot in slots)
        counts[Look.RUNNING] += counts.pop(Look.STARTING, 0) + counts.pop(Look.ENDING, 0)
        self._counts = counts
        self.renew()

    def watch_stopped(self) -> None:
        """Say it at once."""
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """The words go where there is no room for them."""
        words = width >= 60
        pieces = [Piece(" jobdeck ", "bold $block-cursor-foreground on $primary"), Piece("  ")]
        if self.stopped:
            pieces.append(Piece(f"✗ {self.stopped}  ", "bold $error"))
        for seen, style in _SHOWN:
            if count := self._counts[seen]:
                pieces.append(Piece(f"{GLYPHS[seen]} {count}", f"bold {style}"))
                pieces.append(Piece(f" {seen}   " if words else "  ", "$quiet"))
        return pieces, [Piece(time.strftime("%H:%M "), "$quiet")]
