"""Waits and hits below the pane: side by side, over the pane where there is no room, or folded to one line."""

from collections.abc import Callable, Sequence
from enum import Enum

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget

from engine.events import Event
from tui.show.cleaning import clean_line
from tui.show.numbers import short_count
from tui.signals.hit_log import GLYPHS, HitLog
from tui.signals.waits import Waits
from tui.widgets.hit_feed import HitFeed
from tui.widgets.line import Line, Piece
from tui.widgets.rows import Rows
from tui.widgets.wait_panel import WaitPanel

LEAST_ROWS = 28
"""A screen of fewer rows has no room for them beside a pane."""
LEAST_HEIGHT, MOST_HEIGHT = 5, 9
"""Rows of both lists with their titles, where they stand below the pane."""


class Place(Enum):
    """Where waits and hits are."""

    NONE = "none"
    """There are none."""
    BELOW = "below"
    """Under the pane, in sight."""
    FOLDED = "folded"
    """One line with counts."""
    OVER = "over"
    """Over the pane, while they have the focus."""


class Signals(Horizontal):
    """Both lists and what they show. It has one owner: the main screen, which tells it what the engine said."""

    def __init__(self, name_of: Callable[[str], str]) -> None:
        super().__init__(id="signals")
        self.waits = Waits()
        self.hits = HitLog(name_of)
        self.wait_panel = WaitPanel(self.waits, name_of)
        self.hit_feed = HitFeed(self.hits)
        self.fold = FoldLine(self)
        """The one line in their stead; the screen has it above the footer."""
        self.folded = False
        """The operator wants them folded."""
        self._titles = (Line(classes="signals--title"), Line(classes="signals--title"))
        self.place = Place.NONE

    def compose(self) -> ComposeResult:
        """Waits at the left, hits at the right."""
        with Vertical(id="waits-column"):
            yield self._titles[0]
            yield self.wait_panel
        with Vertical(id="hits-column"):
            yield self._titles[1]
            yield self.hit_feed

    def on_mount(self) -> None:
        """Nothing has happened yet."""
        self.display = False
        self._tell()

    # What happened

    def take(self, events: Sequence[Event]) -> bool:
        """Take in what the engine said. True: the lists show something new."""
        waited, hit = self.waits.apply(events), self.hits.apply(events)
        if waited:
            self.wait_panel.changed()
        if hit:
            self.hit_feed.changed()
        if waited or hit:
            self._tell()
        return waited or hit

    @property
    def empty(self) -> bool:
        """Is there nothing to show?"""
        return not len(self.waits) and not len(self.hits)

    def on_rows_selected(self) -> None:
        """The title tells what is below."""
        self._tell()

    def _tell(self) -> None:
        waits, hits = len(self.waits.parked()), self.hits.hits
        self._titles[0].put([Piece(" WAITS  ", "bold $quiet"), Piece(str(waits) if waits else "", "$accent")])
        below = self.hit_feed.below if not self.hit_feed.following else 0
        self._titles[1].put(
            [Piece(" HITS  ", "bold $quiet"), Piece(short_count(hits) if hits else "", "$warning")],
            [Piece(f"▼ {below:,} below ", "$warning", "do:hits.last")] if below else [],
        )
        self.fold.renew()

    # Where they stand

    def stops(self) -> tuple[Rows, ...]:
        """Where the focus can go here."""
        return () if self.place is Place.NONE else (self.wait_panel, self.hit_feed)

    def fit(self, width: int, height: int, focused: Widget | None, *, wide: bool, single: bool) -> None:
        """Choose the place for a screen of this size: below the pane, over it, or folded."""
        inside = focused in (self.wait_panel, self.hit_feed)
        if self.empty and not inside:
            self.place = Place.NONE
        elif wide and height >= LEAST_ROWS and not self.folded:
            self.place = Place.BELOW
        else:
            self.place = Place.OVER if inside else Place.FOLDED
        self.display = self.place in (Place.BELOW, Place.OVER)
        self.fold.display = self.place is Place.FOLDED
        self.set_class(self.place is Place.OVER, "-over")
        alone = self.place is Place.OVER and (single or width < 100)
        for column, rows in (("#waits-column", self.wait_panel), ("#hits-column", self.hit_feed)):
            self.query_one(column).display = not alone or rows is focused
        if self.place is Place.BELOW:
            self.styles.height = max(LEAST_HEIGHT, min(MOST_HEIGHT, height // 4))
        elif self.place is Place.OVER:
            self.styles.height = "100%" if single else "60%"


class FoldLine(Line):
    """Counts, and the newest word of each; a click opens the list."""

    def __init__(self, signals: Signals) -> None:
        super().__init__(id="fold")
        self._signals = signals

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """As much as fits."""
        signals = self._signals
        parked, log = len(signals.waits.parked()), signals.hits
        pieces = [
            Piece(f" ◷ {parked}", "bold $accent" if parked else "$quiet", "signals:barriers"),
            Piece(f" wait{'s' * (parked != 1)}  " if width >= 60 else "  ", "$quiet", "signals:barriers"),
            Piece(f"⚑ {short_count(log.hits)}", "bold $warning" if log.hits else "$quiet", "signals:hits"),
            Piece(f" hit{'s' * (log.hits != 1)}  " if width >= 60 else "  ", "$quiet", "signals:hits"),
        ]
        newest = log.get(log.end - 1)
        if newest is not None:
            name = f"{clean_line(newest.name, 20)} " if newest.name else ""
            words = clean_line(f"{newest.note} {newest.text}".strip(), 200)
            pieces += [
                Piece(f"{GLYPHS[newest.kind]} ", "$quiet", "signals:hits"),
                Piece(name, "$foreground", "signals:hits"),
                Piece(words, "$quiet", "signals:hits"),
            ]
        return pieces, ()
