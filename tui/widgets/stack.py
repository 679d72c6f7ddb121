"""The status stack: every job with its state, live; which of them, in which order, and which are marked.

Longer than usual: it is one widget, and Textual has its selection, scrolling, painting and mouse in one class.
"""

import time
from collections.abc import Callable, Iterable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from tui import keymap
from tui.arranging import Arrangement, Grouping, Sort
from tui.show.states import Look
from tui.store import Slot
from tui.widgets.grounds import reversed_row, reverses
from tui.widgets.line import Piece, fitted
from tui.widgets.sized import Sized
from tui.widgets.stack_clock import StackClock
from tui.widgets.stack_lines import (
    RAIL_WIDTH,
    BatchOf,
    Parking,
    StackLine,
    batch_head,
    first_line,
    second_line,
)
from tui.widgets.stack_marks import StackMarks
from tui.widgets.stack_rows import StackRows

MARKED = "◆"
"""At the left of a marked job."""
CALM_SECONDS = 0.25
"""After news, until the order follows them: rows don't dance, and many news are one piece of work."""
CALMER_SECONDS = 1.0
"""The same where jobs overtake each other with every line that they write."""
_EDGE_CELLS = 1
"""A click so far to the left marks the job."""
_TONES = ("name", "ended", "quiet", "faint", "mark", "marked", "hits", "waits", "head", "selected", "selected-idle")


class StatusStack(Sized, ScrollView, can_focus=True, inherit_bindings=False):
    """One row a job."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("stack")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"stack--{tone}" for tone in _TONES),
        *(f"stack--{seen}" for seen in Look),
    }
    auto_links = False

    class Selected(Message):
        """Another job is selected."""

    class Clicked(Message):
        """A row was clicked: its job is selected now."""

    class Arranged(Message):
        """Other jobs are shown, in another order, or others are marked."""

    class Opened(Message):
        """The operator wants to see this job."""

        def __init__(self, slot_id: str) -> None:
            self.slot_id = slot_id
            super().__init__()

    def __init__(
        self,
        get: Callable[[str | None], Slot | None],
        parking: Callable[[Slot], Parking],
        batch_of: BatchOf,
    ) -> None:
        super().__init__(id="stack")
        self._get = get
        self._parking = parking
        self._batch_of = batch_of
        self._placed = StackRows(batch_of)
        self._slots: tuple[Slot, ...] = ()
        self._again: Timer | None = None
        self.arrangement = Arrangement()
        """Filter, sort and grouping; `rearrange` changes them."""
        self.marks = StackMarks()
        self._styles: dict[tuple[str, str], Style] = {}
        self._clock = StackClock(self, self._each_second)
        self.selected: str | None = None
        """The selected job's slot."""
        self._shown: str | None = None
        self.grace = 0.0
        """Seconds that a job is given to end."""

    def on_mount(self) -> None:
        """Have times go by."""
        self._clock.set(self._slots)

    # What is shown

    @property
    def _lines(self) -> list[StackLine]:
        return self._placed.lines

    @property
    def _rows(self) -> dict[str, int]:
        return self._placed.first

    @property
    def hidden(self) -> int:
        """How many jobs the filter hides."""
        return self._placed.hidden

    def put(self, slots: Iterable[Slot]) -> None:
        """Show these jobs; the selection stays, or goes to the neighbour of one that left."""
        self._slots = tuple(slots)
        self.marks.keep(slot.id for slot in self._slots)
        self._lay_out()
        self._set_clock()

    def _set_clock(self) -> None:
        if self.is_attached:
            self._clock.set(self._slots)

    def touch(self, slot_ids: Iterable[str]) -> None:
        """These jobs changed: paint their rows, and soon have them where they belong now."""
        touched = set(slot_ids)
        self._refresh_lines(lambda line: line.slot_id in touched)
        self._set_clock()
        if touched and self.arrangement != Arrangement() and self._again is None:
            calmer = self.arrangement.sort is Sort.OUTPUT
            self._again = self.set_timer(CALMER_SECONDS if calmer else CALM_SECONDS, self._lay_out)

    def rearrange(self, *, words: str | None = None, sort: Sort | None = None, group: Grouping | None = None) -> None:
        """Show what contains these words, sorted and grouped so; what isn't given stays."""
        now = self.arrangement
        self.arrangement = Arrangement(now.words if words is None else words, sort or now.sort, group or now.group)
        if self.arrangement != now:
            self._lay_out(strictly=words is not None)
            self._see(self.selected)
            self.post_message(self.Arranged())

    def select(self, slot_id: str | None) -> None:
        """Select a job and have it in sight, be it hidden so far."""
        if slot_id == self.selected:
            return
        before, self.selected = self.selected, slot_id
        if self.arrangement.words:
            self._lay_out()  # the one before may be shown for no other reason than that it was selected
        self._see(slot_id)
        self._refresh_lines(lambda line: bool(line.slot_id) and line.slot_id in (before, slot_id))
        self.post_message(self.Selected())

    def _see(self, slot_id: str | None) -> None:
        row = self._rows.get(slot_id or "")
        if slot_id is not None and row is not None:
            height = self._placed.height(slot_id)
            self.scroll_to_region(Region(0, row, 1, height), animate=False, force=True)

    def _is_seen(self, slot_id: str | None) -> bool:
        row = self._rows.get(slot_id or "")
        return row is not None and self.scroll_offset.y <= row < self.scroll_offset.y + self.size.height

    # Marks

    @property
    def marked(self) -> list[str]:
        """The slots of the marked jobs that are shown, from the top."""
        return self.marks.among(self._rows)

    @property
    def marked_hidden(self) -> int:
        """How many marked ones the filter hides."""
        return len(self.marks) - len(self.marked)

    def mark(self, slot_id: str) -> None:
        """Mark this job, or mark it no more."""
        self.marks.toggle(slot_id)
        self._refresh_lines(lambda line: line.slot_id == slot_id)
        self.post_message(self.Arranged())

    def mark_all(self) -> None:
        """Mark all that are shown; when they all are, none of them."""
        self.marks.toggle_all(self._rows)
        self.refresh()
        self.post_message(self.Arranged())

    def clear_marks(self) -> None:
        """Mark none."""
        if self.marks:
            self.marks.clear()
            self.refresh()
            self.post_message(self.Arranged())

    def mark_shown(self, slot_id: str | None) -> None:
        """This job's pane is the one that is seen."""
        if slot_id != self._shown:
            self._shown = slot_id
            self.refresh()

    @property
    def jobs_a_page(self) -> int:
        """How far a page goes, in jobs."""
        return max(1, self.size.height // (1 if self.size.width < RAIL_WIDTH else 2) - 1)

    def move(self, by: int) -> None:
        """Select the job so many rows further down."""
        order = list(self._rows)
        if order:
            place = order.index(self.selected) if self.selected in self._rows else 0
            self.select(order[max(0, min(place + by, len(order) - 1))])

    def _lay_out(self, *, strictly: bool = False) -> None:
        """Have each job where it belongs. The selected one is shown in any case, that no other comes under the keys by
        itself; but while somebody types a filter (``strictly``) it is to fit as all others.
        """
        if self._again is not None:
            self._again.stop()
            self._again = None
        before, hidden, seen = list(self._rows), self.hidden, self._is_seen(self.selected)
        rail = self.size.width < RAIL_WIDTH
        if self._placed.lay_out(self._slots, self.arrangement, None if strictly else self.selected, rail=rail):
            self.virtual_size = Size(self.size.width, len(self._lines))
            self.refresh()
            if self.selected not in self._rows:
                self._select_near(before)
            elif seen:
                self._see(self.selected)
        if self.hidden != hidden:
            self.post_message(self.Arranged())

    def _select_near(self, before: list[str]) -> None:
        """The selected job is gone: select the one that stood next to it."""
        place = before.index(self.selected) if self.selected in before else 0
        nearest = (name for name in before[place:] + before[:place][::-1] if name in self._rows)
        self.select(next(nearest, next(iter(self._rows), None)))

    def _each_second(self) -> None:
        if self.is_attached and self.display:
            self._refresh_lines(lambda line: bool(line.slot_id) and not line.second)
        self._set_clock()

    def _refresh_lines(self, wanted: Callable[[StackLine], bool]) -> None:
        top = self.scroll_offset.y
        width, height = self.size
        seen = self._lines[top : top + height]
        regions = [Region(0, y, width, 1) for y, line in enumerate(seen) if wanted(line)]
        if regions:
            self.refresh(*regions)

    def size_changed(self) -> None:
        """A rail or a wide stack."""
        self._lay_out()
        self.virtual_size = Size(self.size.width, len(self._lines))
        self.refresh()

    # Painting

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        width = self.size.width
        number = self.scroll_offset.y + y
        if number >= len(self._lines):
            nothing = f" No job fits: {self.hidden:,} hidden" if self.hidden and not self._lines and not y else ""
            return Strip([Segment(fitted(nothing, width), self._style("quiet" if nothing else "", ""))])
        line = self._lines[number]
        slot = self._get(line.slot_id) if line.slot_id else None
        pieces = self._pieces(line, slot, width)
        edge = self._edge(line)
        if edge is not None:
            pieces = [edge, pieces[0]._replace(text=pieces[0].text[1:]), *pieces[1:]]
        ground = ""
        if slot is not None and slot.id == self.selected:
            ground = "selected" if self.has_focus else "selected-idle"
        strip = Strip([Segment(piece.text, self._style(piece.style, ground)) for piece in pieces])
        return strip.adjust_cell_length(width, self._style("", ground))

    def _pieces(self, line: StackLine, slot: Slot | None, width: int) -> list[Piece]:
        if line.batch:
            return batch_head(line.batch, self._batch_of(line.batch), width)
        if slot is None:
            return [Piece(fitted(f" ▾ {line.head}" if line.head else "", width), "head")]
        if line.second:
            return second_line(slot, width, self.grace, self._parking(slot))
        return first_line(slot, width, time.time(), self._parking(slot))

    def _edge(self, line: StackLine) -> Piece | None:
        """What stands at a line's left: that its job is marked, or that its pane is seen."""
        if line.slot_id in self.marks and not line.second:
            return Piece(MARKED, "marked")
        return Piece("▌", "head") if line.slot_id and line.slot_id == self._shown else None

    def _style(self, tone: str, ground: str) -> Style:
        style = self._styles.get((tone, ground))
        if style is None:
            style = self.rich_style
            if ground:
                style += Style(bgcolor=self.get_component_rich_style(f"stack--{ground}").bgcolor)
            if tone:
                style += self.get_component_rich_style(f"stack--{tone}", partial=True)
            if ground == "selected" and reverses(self.app):
                style = reversed_row(self.rich_style, style)
            elif ground and reverses(self.app):
                style += Style(underline=tone in ("name", "ended"))
            self._styles[(tone, ground)] = style
        return style

    def watch_has_focus(self, has_focus: bool) -> None:
        """No style of its own hangs on it: Textual would style all of its many tones anew."""

    def notify_style_update(self) -> None:
        """The theme may have changed."""
        super().notify_style_update()
        self._styles.clear()

    # The mouse

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._wheel(self.app.scroll_sensitivity_y)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._wheel(-self.app.scroll_sensitivity_y)

    def _wheel(self, rows: float) -> None:
        # By force: jobs that come change the height without a layout, after which Textual would allow it.
        self.scroll_relative(y=rows, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """A click selects, a second one opens; at the left edge, or with Ctrl, it marks."""
        number = self.scroll_offset.y + event.y
        if number < len(self._lines) and (slot_id := self._lines[number].slot_id):
            if event.ctrl or event.x < _EDGE_CELLS:
                self.mark(slot_id)
                return
            if slot_id == self.selected or event.chain > 1:
                self.post_message(self.Opened(slot_id))
            self.select(slot_id)
            self.post_message(self.Clicked())
