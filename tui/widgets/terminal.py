"""The view of a pane's emulator: paints the rows in sight, scrolls; what is selected is `Selecting`'s."""

import time
from typing import Any, ClassVar

from textual import events
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from tui import keymap
from tui.ascii_only import AsciiOnly
from tui.reading.selection import TextSelection
from tui.widgets.emulator import Emulator
from tui.widgets.row_strips import RowStrips
from tui.widgets.selecting import Selecting
from tui.widgets.sized import Sized
from tui.widgets.viewport import Viewport

PUBLISH_SECONDS = 0.25
"""Between two words to the scroll bar of how much there is."""
FLASH_SECONDS = 4.0
"""How long rows that were gone to stand out."""
SYNCHRONIZED_SECONDS = 0.15
"""How long a program may keep its screen from being painted (mode 2026)."""


class TerminalView(Sized, Selecting, ScrollView, can_focus=True, inherit_bindings=False):
    """Read-only. It follows the newest output until it is scrolled up, and again from the end on."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("pane")]
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "terminal--cursor",
        "terminal--selection",
        "terminal--flash",
        "terminal--found",
        "terminal--current",
        "terminal--edge",
        "terminal--outside",
    }
    ALLOW_SELECT = False  # Textual's selection knows rows, not lines
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
        self.viewport = Viewport(emulator, lambda: self.size.height)
        self.selection = TextSelection(lambda: emulator.lines)
        self.strips = RowStrips(self, emulator, self.selection)
        self.show_cursor = False
        self.painted_lines = 0
        """How many lines were ever painted; what is hidden paints none."""
        self._painted: tuple[int, int] | None = None
        """Where the view stood when it was painted last."""
        self._fresh = emulator.fresh
        self._grid = (0, 0)
        self._published_first = 0
        self._publish_timer: Timer | None = None
        self._held_since: float | None = None

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
            self.viewport.wrapped_anew()
        cursor = (screen.cursor.y, screen.cursor.x, self.show_cursor and not screen.cursor.hidden)
        dirty = self.strips.changed(self.emulator.take_dirty(), cursor)
        if self.viewport.taken_in():
            self.post_message(self.Scrolled())
        if self.viewport.place != self._painted:
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

    def _show_at_last(self) -> None:
        if self._held_since is not None:
            self._held_since = 0.0
            self.show()

    def _drop_strips(self) -> None:
        self.strips.drop()
        self._painted = None

    def _forget(self) -> None:
        self._drop_strips()
        self.strips.flashed = range(0)
        self.selection.clear()
        self.put_caret(None)
        self.viewport.start_afresh()
        self.post_message(self.Scrolled())

    @property
    def made_strips(self) -> int:
        """How many rows had to be made anew to be painted."""
        return self.strips.made

    @property
    def room(self) -> Size:
        """The columns and rows there are for a terminal: all but the scroll bar."""
        return self.scrollable_content_region.size

    def watch_has_focus(self, has_focus: bool) -> None:
        """No style of its own hangs on it; its pane's do."""

    def render_lines(self, crop: Region) -> list[Strip]:
        """Paint: straight from the cached strips, without the style cache (this widget has no border)."""
        self._painted = self.viewport.place
        lead = self.lead
        strips = [self.strips.strip(lead + y) for y in crop.line_range]
        self.painted_lines += len(strips)
        # Of colours this widget makes its own; the usual filters would only cost time.
        for line_filter in self.app.get_line_filters():
            if self.app.no_color or isinstance(line_filter, AsciiOnly):
                strips = [strip.apply_filter(line_filter, self.background_colors[1]) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        return self.strips.strip(self.lead + y)

    def notify_style_update(self) -> None:
        """The theme may have changed."""
        super().notify_style_update()
        self.strips.drop_inks()
        self._painted = None

    # Where it stands

    @property
    def follow(self) -> bool:
        """Does it follow the newest output?"""
        return self.viewport.follow

    @property
    def below(self) -> bool:
        """Is there new output below what is seen?"""
        return self.viewport.below

    @property
    def top(self) -> int:
        """The number of the row at the top of the view."""
        return self.viewport.top

    @property
    def lead(self) -> int:
        """The row at the top of the view, counted from the screen's first: above it in the scrollback if negative."""
        return self.viewport.lead

    @property
    def columns_left(self) -> int:
        """Columns left of what is seen."""
        return self.strips.left

    def move_to(self, top: int) -> None:
        """Show the content from this row on; at the end, follow."""
        self.viewport.move_to(top)
        self.publish()
        self.refresh()
        self.post_message(self.Scrolled())

    def move_by(self, rows: int) -> None:
        """Scroll down by so many rows, up by negative ones."""
        self.move_to(self.top + rows)

    def bring(self, row: int) -> None:
        """Have this row in sight, by as little as possible."""
        if row < self.top:
            self.move_to(row)
        elif row >= self.top + self.viewport.height:
            self.move_to(row - self.viewport.height + 1)

    def stay(self) -> None:
        """Stop following: what is seen now stays where it is."""
        if self.viewport.stay():
            self.post_message(self.Scrolled())

    def mark_below(self) -> None:
        """There is output below what is seen."""
        if not self.viewport.below:
            self.viewport.below = True
            self.post_message(self.Scrolled())

    def set_boxed(self, boxed: bool) -> None:
        """Show where the terminal ends, if its size isn't this view's."""
        if boxed != self.strips.boxed:
            self.strips.boxed = boxed
            self.strips.left = 0
            self._drop_strips()
            self.refresh()

    def move_across(self, columns: int) -> None:
        """Scroll to the right by so many columns, to the left by negative ones."""
        most = max(0, self.emulator.screen.columns - self.room.width)
        left = max(0, min(self.strips.left + columns, most))
        if left != self.strips.left:
            self.strips.left = left
            self._drop_strips()
            self.refresh()

    def flash(self, rows: range) -> None:
        """Have these rows stand out for a while."""
        self.strips.flashed = rows
        self.refresh()
        if rows:
            self.set_timer(FLASH_SECONDS, lambda: self.flash(range(0)) if self.strips.flashed is rows else None)

    def selected(self) -> None:
        """What is selected stays where it is."""
        if self.selection.span is not None:
            self.stay()
        self.refresh()
        self.post_message(self.Scrolled())

    # The scroll bar and the wheel

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
        """The scroll bar: rows counted from the oldest one."""
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
