"""The view of a pane's emulator: paints rows from cached strips, scrolls, selects."""

import time
from typing import Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tui import keymap
from tui.widgets.emulator import Emulator
from tui.widgets.inks import Inks
from tui.widgets.marking import cells, painted_over, selected_text
from tui.widgets.sized import Sized

PUBLISH_SECONDS = 0.25
"""Between two words to the scroll bar of how much there is."""
FLASH_SECONDS = 4.0
"""How long rows that were gone to stand out."""
SYNCHRONIZED_SECONDS = 0.15
"""How long a program may keep its screen from being painted (mode 2026)."""
CACHED_ROWS = 1_000


class TerminalView(Sized, ScrollView, can_focus=True, inherit_bindings=False):
    """Read-only. It follows the newest output until it is scrolled up, and again from the end on."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("pane")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {"terminal--cursor", "terminal--selection", "terminal--flash"}
    auto_links = False

    class Scrolled(Message):
        """Where the view stands has changed: following or not, output below or not."""

    class Published(Message):
        """How much there is has been counted, as it is a few times a second."""

    class Resized(Message):
        """The view has room for another size of terminal."""

        def __init__(self, cols: int, rows: int) -> None:
            self.cols, self.rows = cols, rows
            super().__init__()

    def __init__(self, emulator: Emulator, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.emulator = emulator
        self.follow = True
        self.below = False
        """There is new output below what is seen."""
        self.show_cursor = False
        self.painted_lines = 0
        """How many lines were ever painted; what is hidden paints none."""
        self.made_strips = 0
        """How many of them had to be made anew."""
        self._top = 0
        self._left = 0
        self._painted: tuple[int, int] | None = None
        """Where the view stood when it was painted last."""
        self._fresh = 0
        self._grid = (0, 0)
        self._end_seen = 0
        self._cursor = (0, 0, False)
        """Its row and column, and whether it is shown."""
        self._live: dict[int, Strip] = {}
        """The screen's rows, from 0."""
        self._strips: dict[int, Strip] = {}
        """The scrollback's, by number."""
        self._inks: Inks | None = None
        self._published_first = 0
        self._publish_timer: Timer | None = None
        self._held_since: float | None = None
        self._flashed = range(0)

    # Painting

    def show(self) -> None:
        """The emulator has taken something in: paint the rows that changed."""
        screen = self.emulator.screen
        if screen.synchronized:
            now = time.monotonic()
            if self._held_since is None:
                self._held_since = now
                self.set_timer(SYNCHRONIZED_SECONDS, self._show_at_last)
            if now - self._held_since < SYNCHRONIZED_SECONDS:
                return
        self._held_since = None
        if self._fresh != self.emulator.fresh:
            self._fresh = self.emulator.fresh
            self._forget()
        if self._grid != (screen.columns, screen.lines):
            self._grid = (screen.columns, screen.lines)
            self._drop_strips()  # lines were wrapped anew, or went back to the screen
        dirty = self.emulator.take_dirty()
        cursor = (screen.cursor.y, screen.cursor.x, self.show_cursor and not screen.cursor.hidden)
        if cursor != self._cursor:
            dirty |= {cursor[0], self._cursor[0]}
            self._cursor = cursor
        for row in dirty:
            self._live.pop(row, None)
        if not self.follow:
            self._top = max(self._top, self.emulator.first)
            if not self.below and self.emulator.end > self._end_seen:
                self.mark_below()
        if self._place != self._painted:
            self.refresh()
        else:
            self._refresh_rows(dirty)
        self._publish_soon()

    def _refresh_rows(self, rows: set[int]) -> None:
        """Repaint these rows of the screen, as far as they are seen; rows that touch make one region."""
        width, height = self.size
        regions: list[Region] = []
        for y in sorted(row - self.lead for row in rows):
            if 0 <= y < height:
                if regions and regions[-1].bottom == y:
                    regions[-1] = regions[-1].grow((0, 0, 1, 0))
                else:
                    regions.append(Region(0, y, width, 1))
        if regions:
            self.refresh(*regions)

    def mark_below(self) -> None:
        """There is output below what is seen."""
        if not self.below:
            self.below = True
            self.post_message(self.Scrolled())

    def _show_at_last(self) -> None:
        if self._held_since is not None:
            self._held_since = 0.0
            self.show()

    def _drop_strips(self) -> None:
        self._live.clear()
        self._strips.clear()
        self._painted = None

    def _forget(self) -> None:
        self._drop_strips()
        self._flashed = range(0)
        self._top, self._end_seen = 0, 0
        self.follow = True
        self.below = False
        if self.text_selection is not None:
            self.screen.clear_selection()
        self.post_message(self.Scrolled())

    @property
    def room(self) -> Size:
        """The columns and rows there are for a terminal: all but the scroll bar."""
        return self.scrollable_content_region.size

    @property
    def top(self) -> int:
        """The number of the row at the top of the view."""
        return self.emulator.total + self.lead

    @property
    def lead(self) -> int:
        """The row at the top of the view, counted from the screen's first: above it in the scrollback if negative.

        While the view follows and is no taller than the screen, no row has to be counted for it.
        """
        if self.follow:
            return self._lowest_lead
        return max(self._top, self.emulator.first) - self.emulator.total

    @property
    def _lowest_lead(self) -> int:
        height = self.size.height
        emulator = self.emulator
        lines = emulator.screen.lines
        lead = (emulator.used_rows() if lines > height else lines) - height
        if lead >= 0:
            return lead
        return 0 if emulator.screen.alternate else max(lead, emulator.first - emulator.total)

    @property
    def _lowest_top(self) -> int:
        return self.emulator.total + self._lowest_lead

    @property
    def _place(self) -> tuple[int, int]:
        """Tells whether other rows are seen than before."""
        lead = self.lead
        return lead, self.emulator.total if lead < 0 else -1

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint: straight from the cached strips, without the style cache (this widget has no border)."""
        self._painted = self._place
        lead = self.lead
        strips = [self._strip(lead + y) for y in crop.line_range]
        self.painted_lines += len(strips)
        if self.app.no_color:
            background = self.background_colors[1]
            for line_filter in self.app.get_line_filters():
                strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One line of the view with offsets, for the mouse. They are dear: painting does without."""
        row = self.lead + y
        return self._strip(row).apply_offsets(self._left, self.emulator.total + row)

    def _strip(self, row: int) -> Strip:
        """A row, counted from the screen's first, as it is painted."""
        emulator = self.emulator
        number = emulator.total + row if row < 0 else -1
        cache, key = (self._strips, number) if row < 0 else (self._live, row)
        strip = cache.get(key)
        if strip is None:
            self.made_strips += 1
            runs = emulator.runs(number) if row < 0 else emulator.screen_runs(row)
            strip = self.inks.strip(runs, self._left, self.size.width)
            cursor_row, column, shown = self._cursor
            if row == cursor_row and shown:
                x = min(column, emulator.screen.columns - 1) - self._left
                strip = painted_over(strip, x, x + 1, self.get_component_rich_style("terminal--cursor"))
            if len(cache) > CACHED_ROWS:
                cache.clear()
            cache[key] = strip
        if self._flashed and emulator.total + row in self._flashed:
            strip = painted_over(strip, 0, strip.cell_length, self.get_component_rich_style("terminal--flash"))
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(emulator.total + row)) is not None:
            first, last = cells(strip, span[0] - self._left, span[1] - self._left if span[1] >= 0 else None)
            strip = painted_over(strip, first, last, self.get_component_rich_style("terminal--selection"))
        return strip

    @property
    def inks(self) -> Inks:
        """The theme's colours for pens."""
        if self._inks is None:
            background, foreground = self.background_colors[1], self.colors[3]
            self._inks = Inks(self.app.theme_variables, foreground, background)
        return self._inks

    def notify_style_update(self) -> None:
        """The theme may have changed: mix the inks anew."""
        super().notify_style_update()
        self._inks = None
        self._drop_strips()

    # Where it stands

    def move_to(self, top: int) -> None:
        """Show the content from this row on; at the end, follow."""
        lowest = self._lowest_top
        self._top = max(min(self.emulator.first, lowest), min(top, lowest))
        self.follow = self._top >= lowest
        self.below = self.below and not self.follow
        self._end_seen = self.emulator.end
        self.publish()
        self.refresh()
        self.post_message(self.Scrolled())

    def stay(self) -> None:
        """Stop following: what is seen now stays where it is."""
        if self.follow:
            self._top, self.follow = self.top, False
            self._end_seen = self.emulator.end
            self.post_message(self.Scrolled())

    def flash(self, rows: range) -> None:
        """Have these rows stand out for a while."""
        self._flashed = rows
        self.refresh()
        if rows:
            self.set_timer(FLASH_SECONDS, lambda: self.flash(range(0)) if self._flashed is rows else None)

    def move_by(self, rows: int) -> None:
        """Scroll down by so many rows, up by negative ones."""
        self.move_to(self.top + rows)

    def move_across(self, columns: int) -> None:
        """Scroll to the right by so many columns, to the left by negative ones."""
        most = max(0, self.emulator.screen.columns - self.room.width)
        left = max(0, min(self._left + columns, most))
        if left != self._left:
            self._left = left
            self._drop_strips()
            self.refresh()

    def _publish_soon(self) -> None:
        if self._publish_timer is None and self.is_attached:
            self._publish_timer = self.set_timer(PUBLISH_SECONDS, self.publish)

    def publish(self) -> None:
        """Tell the scroll bar where the view stands, without the layout that these properties else ask for."""
        if self._publish_timer is not None:
            self._publish_timer.stop()
            self._publish_timer = None
        width, height = self.size
        self._published_first = first = self.emulator.first
        end = self.emulator.end if self.emulator.screen.lines <= height else self.top + height
        rows, position = max(0, end - first), max(0, self.top - first)
        self.set_reactive(Widget.virtual_size, Size(width, rows))
        self.set_reactive(Widget.scroll_y, position)
        self.set_reactive(Widget.scroll_target_y, position)
        bar = self.vertical_scrollbar
        bar.window_virtual_size, bar.window_size, bar.position = rows, height, position
        self.post_message(self.Published())

    def scroll_to(self, x: float | None = None, y: float | None = None, **_how: Any) -> None:  # noqa: ARG002
        """The scroll bar, or a selection that is drawn out of the view: rows counted from the oldest one."""
        if y is not None:
            self.move_to(self._published_first + round(y))

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self.move_by(3)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self.move_by(-3)

    def size_changed(self) -> None:
        """Another size: a pipe's text takes it at once, a terminal's program is told by the engine."""
        self._drop_strips()
        self.emulator.fit(*self.room)
        self.show()
        self.refresh()
        self.post_message(self.Resized(*self.room))

    # Selection

    def selection_updated(self, selection: Selection | None) -> None:
        """What is selected stays where it is."""
        if selection is not None:
            self.stay()
        self.refresh()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text: wrapped rows joined, trailing blanks gone."""
        return selected_text(self.emulator, selection), "\n"
