"""The status stack: every job with its state, live."""

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
from tui.show.states import Look
from tui.store import Slot
from tui.widgets.line import Piece, fitted
from tui.widgets.sized import Sized
from tui.widgets.stack_lines import (
    RAIL_WIDTH,
    BatchOf,
    Parking,
    StackLine,
    batch_head,
    first_line,
    lay_out,
    second_line,
)

_TONES = ("name", "ended", "quiet", "faint", "mark", "hits", "waits", "head", "selected", "selected-idle")


class StatusStack(Sized, ScrollView, can_focus=True, inherit_bindings=False):
    """One row a job. It ticks once a second, and only while a job that runs can be seen."""

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
        self._slots: tuple[Slot, ...] = ()
        self._lines: list[StackLine] = []
        self._styles: dict[tuple[str, str], Style] = {}
        self._tick: Timer | None = None
        self.selected: str | None = None
        """The selected job's slot."""
        self._shown: str | None = None
        self.grace = 0.0
        """Seconds that a job is given to end."""

    def on_mount(self) -> None:
        """Have a clock at hand; it stands while nothing runs."""
        self._tick = self.set_interval(1.0, self._each_second, pause=True)

    # What is shown

    def put(self, slots: Iterable[Slot]) -> None:
        """Show these jobs; the selection stays, or goes to the neighbour of one that left."""
        before = [line.slot_id for line in self._lines]
        self._slots = tuple(slots)
        self._lay_out()
        kept = {slot.id for slot in self._slots}
        if self.selected not in kept:
            place = before.index(self.selected) if self.selected in before else 0
            nearest = [name for name in before[place:] + before[:place][::-1] if name in kept]
            self.select(nearest[0] if nearest else next((slot.id for slot in self._slots), None))
        if self._tick is not None:
            if any(slot.live or slot.job.waits for slot in self._slots):
                self._tick.resume()
            else:
                self._tick.pause()
        self.refresh()

    def touch(self, slot_ids: Iterable[str]) -> None:
        """These jobs changed: paint their rows."""
        touched = set(slot_ids)
        self._refresh_lines(lambda line: line.slot_id in touched)

    def select(self, slot_id: str | None) -> None:
        """Select a job and have it in sight."""
        if slot_id == self.selected:
            return
        self.selected = slot_id
        rows = [number for number, line in enumerate(self._lines) if slot_id and line.slot_id == slot_id]
        if rows:
            self.scroll_to_region(Region(0, rows[0], 1, len(rows)), animate=False, force=True)
        self.refresh()
        self.post_message(self.Selected())

    def mark_shown(self, slot_id: str | None) -> None:
        """This job's pane is the one that is seen."""
        if slot_id != self._shown:
            self._shown = slot_id
            self.refresh()

    def move(self, by: int) -> None:
        """Select the job so many rows further down."""
        order = [line.slot_id for line in self._lines if line.slot_id and not line.second]
        if order:
            place = order.index(self.selected) if self.selected in order else 0
            self.select(order[max(0, min(place + by, len(order) - 1))])

    def _lay_out(self) -> None:
        self._lines = lay_out(self._slots, self._batch_of, rail=self.size.width < RAIL_WIDTH)
        self.virtual_size = Size(self.size.width, len(self._lines))

    def _each_second(self) -> None:
        if self.is_attached and self.display:
            self._refresh_lines(lambda line: bool(line.slot_id) and not line.second)

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
        self.refresh()

    # Painting

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        width = self.size.width
        number = self.scroll_offset.y + y
        if number >= len(self._lines):
            return Strip.blank(width, self._style("", ""))
        line = self._lines[number]
        slot = self._get(line.slot_id) if line.slot_id else None
        if line.batch:
            pieces = batch_head(line.batch, self._batch_of(line.batch), width)
        elif slot is None:
            pieces = [Piece(fitted(f" ▾ {line.head}" if line.head else "", width), "head")]
        elif line.second:
            pieces = second_line(slot, width, self.grace, self._parking(slot))
        else:
            pieces = first_line(slot, width, time.time(), self._parking(slot))
        if slot is not None and slot.id == self._shown:
            pieces = [Piece("▌", "head"), pieces[0]._replace(text=pieces[0].text[1:]), *pieces[1:]]
        ground = ""
        if slot is not None and slot.id == self.selected:
            ground = "selected" if self.has_focus else "selected-idle"
        strip = Strip([Segment(piece.text, self._style(piece.style, ground)) for piece in pieces])
        return strip.adjust_cell_length(width, self._style("", ground))

    def _style(self, tone: str, ground: str) -> Style:
        style = self._styles.get((tone, ground))
        if style is None:
            style = self.rich_style
            if ground:
                style += Style(bgcolor=self.get_component_rich_style(f"stack--{ground}").bgcolor)
            if tone:
                style += self.get_component_rich_style(f"stack--{tone}", partial=True)
            self._styles[(tone, ground)] = style
        return style

    def notify_style_update(self) -> None:
        """The theme may have changed."""
        super().notify_style_update()
        self._styles.clear()

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """A click selects, a click on the selected job or a double click opens."""
        number = self.scroll_offset.y + event.y
        if number < len(self._lines) and (slot_id := self._lines[number].slot_id):
            if slot_id == self.selected or event.chain > 1:
                self.post_message(self.Opened(slot_id))
            self.select(slot_id)
            self.post_message(self.Clicked())
