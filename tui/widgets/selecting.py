"""Selecting a pane's text by mouse and keys, without a mode: drag, double and triple click, Shift with what moves."""

from collections.abc import Callable

from textual import events
from textual.geometry import Offset
from textual.timer import Timer
from textual.widget import Widget

from engine.terminal import Spot
from tui.reading import places
from tui.reading.selection import TextSelection
from tui.widgets.emulator import Emulator
from tui.widgets.viewport import Viewport

DRAG_SECONDS = 0.05
"""Between two steps of the view while the mouse is held beyond its edge."""


class Selecting(Widget):
    """The part of a view that selects. The mouse's place tells the cell; the caret, where keys begin."""

    emulator: Emulator
    viewport: Viewport
    selection: TextSelection

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._caret: Spot | None = None
        self._pressed: Spot | None = None
        """Where the mouse went down; it is held."""
        self._dragging = False
        self._pulled = Offset(0, 0)
        self._pull_timer: Timer | None = None

    # What the view does

    @property
    def columns_left(self) -> int:
        """Columns left of what is seen."""
        raise NotImplementedError

    def selected(self) -> None:
        """The selection or the caret has changed: show it."""
        raise NotImplementedError

    def move_by(self, rows: int) -> None:
        """Scroll down by so many rows, up by negative ones."""
        raise NotImplementedError

    def bring(self, row: int) -> None:
        """Have this row in sight."""
        raise NotImplementedError

    # The caret

    @property
    def caret(self) -> Spot | None:
        """The place that was clicked, gone to or selected to last, while it is kept."""
        caret = self.selection.head or self._caret
        return caret if caret is not None and caret.line >= self.emulator.lines.first else None

    def put_caret(self, spot: Spot | None) -> None:
        """This place is meant from now on."""
        self._caret = spot

    def current_line(self) -> int:
        """The line that keys mean: the caret's while it is in sight, else the newest, or the one at the top."""
        lines = self.emulator.lines
        caret = self.caret
        top = self.viewport.top
        if caret is not None and caret.line < lines.end and top <= lines.row(caret) < top + self.viewport.height:
            return caret.line
        if not self.viewport.follow:
            first = lines.spot(top)
            # Of a line that begins above only the end is seen; the next one is meant, if it begins in sight.
            begins = first.cell == 0 or lines.rows(first.line).stop >= top + self.viewport.height
            return first.line if begins else min(first.line + 1, lines.newest)
        newest = lines.newest
        # A shell's last line feed has begun a line that has nothing on it yet.
        return newest if lines.text(newest) or newest <= lines.first else newest - 1

    # By mouse

    def _spot(self, offset: Offset) -> Spot:
        lines = self.emulator.lines
        row = self.viewport.top + max(0, min(offset.y, self.viewport.height - 1))
        row = max(self.emulator.first, min(row, self.emulator.end - 1))
        return places.spot_at(lines, row, self.columns_left + max(0, offset.x))

    async def _on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button != 1 or event.ctrl or event.x >= self.scrollable_content_region.width:
            return
        event.stop()
        spot = self._spot(event.offset)
        if event.shift and self.caret is not None:
            self.selection.move_head(spot, self.caret)
        else:
            self.selection.clear()
            self._caret = spot
        self._pressed, self._dragging = spot, False
        self.capture_mouse()
        self.selected()

    def _on_mouse_move(self, event: events.MouseMove) -> None:
        if self._pressed is None:
            return
        event.stop()
        self._pulled = event.offset
        spot = self._spot(event.offset)
        if not self._dragging and spot == self._pressed:
            return
        if not self._dragging:
            self._dragging = True
            self.selection.begin(self._pressed)
        self.selection.reach(spot)
        self.selected()
        beyond = not 0 <= event.y < self.viewport.height
        if beyond and self._pull_timer is None:
            self._pull_timer = self.set_interval(DRAG_SECONDS, self._pull)
        elif not beyond:
            self._stop_pulling()

    def _pull(self) -> None:
        y = self._pulled.y
        self.move_by(y if y < 0 else y - self.viewport.height + 1)
        self.selection.reach(self._spot(self._pulled))
        self.selected()

    def _stop_pulling(self) -> None:
        if self._pull_timer is not None:
            self._pull_timer.stop()
            self._pull_timer = None

    async def _on_mouse_up(self, event: events.MouseUp) -> None:
        if self._pressed is None:
            return
        event.stop()
        self._pressed = None
        self._stop_pulling()
        self.release_mouse()

    async def _on_click(self, event: events.Click) -> None:
        if event.chain < 2 or event.button != 1 or self._dragging:
            return
        event.stop()
        event.prevent_default()
        self.selection.begin(self._spot(event.offset), places.word if event.chain == 2 else places.whole)
        self.selected()

    # By keys

    def extend(self, move: Callable[[Spot], Spot]) -> None:
        """Move the selection's end; it begins at the caret, or at the current line."""
        lines = self.emulator.lines
        caret = self.caret
        top = self.viewport.top
        if self.selection.span is None and (
            caret is None or caret.line >= lines.end or not top <= lines.row(caret) < top + self.viewport.height
        ):
            caret = Spot(self.current_line(), 0)
        if caret is None:
            return
        if self.selection.head is None:
            self._caret = caret
        head = move(self.selection.head or caret)
        self.selection.move_head(head, caret)
        self.selected()
        self.bring(lines.row(head))

    def by_characters(self, count: int) -> Callable[[Spot], Spot]:
        """To the right, or to the left."""
        step = places.after if count > 0 else places.before
        return lambda spot: step(self.emulator.lines, spot)

    def by_rows(self, count: int) -> Callable[[Spot], Spot]:
        """Down, or up, in the same column; at the first row and the last one to their ends."""

        def moved(spot: Spot) -> Spot:
            lines = self.emulator.lines
            row = lines.row(spot)
            column = spot.cell - lines.spot(row).cell
            wanted = row + count
            first, end = self.emulator.first, self.emulator.total + self.emulator.used_rows()
            if wanted < first:
                return Spot(lines.first, 0)
            if wanted >= end:
                return Spot(lines.spot(end - 1).line, places.row_end(lines, lines.spot(end - 1)))
            return places.spot_at(lines, wanted, column)

        return moved

    def to_edge(self, *, end: bool) -> Callable[[Spot], Spot]:
        """To the row's end, or its beginning."""

        def moved(spot: Spot) -> Spot:
            lines = self.emulator.lines
            start = lines.spot(lines.row(spot))
            return Spot(start.line, places.row_end(lines, start)) if end else start

        return moved

    def select_all(self) -> None:
        """Select all there is."""
        lines = self.emulator.lines
        last = self.emulator.total + self.emulator.used_rows() - 1
        start = lines.spot(last)
        self.selection.all_of(Spot(lines.first, 0), Spot(start.line, places.row_end(lines, start)))
        self.selected()
