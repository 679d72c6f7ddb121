"""The top line: whose console this is, what runs, what failed, what time it is."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence

from textual.reactive import reactive

from tui.past import Past
from tui.show.numbers import percent, short_bytes, short_count
from tui.show.sparkline import sparkline
from tui.show.states import GLYPHS, Look, look
from tui.store import Slot
from tui.widgets.line import Line, Piece, width_of

_SHOWN: tuple[tuple[Look, str], ...] = (
    (Look.RUNNING, "$success"),
    (Look.WAITING, "$accent"),
    (Look.ASKS, "$accent"),
    (Look.STOPPED, "$warning"),
    (Look.DETACHED, "$warning"),
    (Look.FAILED, "$error"),
    (Look.KILLED, "$warning"),
    (Look.LOST, "$warning"),
    (Look.DONE, "$quiet"),
)

_BARS, _LOOKS = 10, 30
"""Cells of the sparkline, and how many looks it shows."""
_LEAST_TOP = 0.5


class Header(Line):
    """Counts by state, each with its glyph and its word; the clock at the right."""

    stopped: reactive[str] = reactive("")
    """Why nothing on the screen is live any more; empty while all is well."""

    def __init__(self) -> None:
        super().__init__(id="header")
        self._counts: Counter[Look] = Counter()
        self._parked = 0
        self._hits = 0
        self._engines = 1
        self._use: tuple[float, int] | None = None
        self._past = Past()

    def on_mount(self) -> None:
        """Start the clock: once a minute, on the minute."""
        self.set_timer(60 - time.time() % 60, self._minute)

    def _minute(self) -> None:
        self.renew()
        self.set_timer(60 - time.time() % 60, self._minute)

    def count(self, slots: Iterable[Slot], parked: int, hits: int) -> None:
        """Show how many jobs are in which state, how much is waited for, how many lines matched."""
        self._parked, self._hits = parked, hits
        shown = [*slots]
        counts = Counter(look(slot.job, slot.use) for slot in shown)
        counts[Look.RUNNING] += counts.pop(Look.STARTING, 0) + counts.pop(Look.ENDING, 0)
        self._counts = counts
        self._engines = len({slot.job.engine for slot in shown} | {""})
        self.renew()

    def use(self, cpu: float, rss: int) -> None:
        """Show what the console and all running jobs use: shares of one processor, bytes."""
        self._use = cpu, rss
        self._past.add(cpu, rss)
        self.renew()

    def watch_stopped(self) -> None:
        """Say it at once."""
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """The words go where there is no room for them."""
        clock = Piece(time.strftime("%H:%M "), "$quiet")
        used, bars = self._used(), self._bars()
        for words, right in (
            (True, [*bars, *used, clock]), (True, [*used, clock]), (False, [*used, clock]), (False, [clock])
        ):  # fmt: skip
            pieces = self._counted(words=words)
            if width_of([*pieces, *right]) <= width:
                break
        return pieces, right

    def _used(self) -> list[Piece]:
        if self._use is None:
            return []
        return [Piece(f"cpu {percent(self._use[0])}  mem {short_bytes(self._use[1])}  ", "$quiet")]

    def _bars(self) -> list[Piece]:
        """How the processor was used in the last minute; the least that is a full bar is half of one."""
        shares = self._past.cpu[-_LOOKS:]
        return [Piece(f"{sparkline(shares, _BARS, max([_LEAST_TOP, *shares]))} ", "$quiet")] if len(shares) > 1 else []

    def _counted(self, *, words: bool) -> list[Piece]:
        pieces = [Piece(" jobdeck ", "bold $block-cursor-foreground on $primary"), Piece("  ")]
        if self._engines > 1:
            pieces.append(Piece(f"{self._engines} engines   ", "$quiet"))
        if self.stopped:
            pieces.append(Piece(f"✗ {self.stopped}  ", "bold $error"))
        counts = Counter(self._counts)
        if not words:  # two that share a sign couldn't be told apart
            counts[Look.LOST] += counts.pop(Look.DETACHED, 0)
        for seen, style in _SHOWN:
            if count := counts[seen]:
                pieces.append(Piece(f"{GLYPHS[seen]} {count}", f"bold {style}"))
                pieces.append(Piece(f" {seen}   " if words else "  ", "$quiet"))
        for glyph, count, word, style, where in (
            ("◷", self._parked, "waiting", "$accent", "barriers"),
            ("⚑", self._hits, "hit" if self._hits == 1 else "hits", "$warning", "hits"),
        ):
            if count:
                pieces.append(Piece(f"{glyph} {short_count(count)}", f"bold {style}", f"signals:{where}"))
                pieces.append(Piece(f" {word}   " if words else "  ", "$quiet", f"signals:{where}"))
        return pieces
