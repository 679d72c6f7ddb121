"""A list of lines by absolute number, painted line by line: whatever it holds, only what is seen costs anything."""

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.widgets.grounds import reversed_row, reverses
from tui.widgets.line import Piece, cut, fitted
from tui.widgets.sized import Sized

Key = int | str
"""What an entry is known by. An entry may have several lines."""

TONES = (
    "name", "text", "quiet", "faint", "hit", "held", "pattern", "good", "bad", "ended", "pulse", "notice", "wait",
    "selected",
)  # fmt: skip
WHEEL_ROWS = 2


class Rows(Sized, Widget, can_focus=True, inherit_bindings=False):
    """Keeps its place while it is scrolled up; a list that ``follows`` stays at its newest line else."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"rows--{tone}" for tone in TONES}
    follows: ClassVar[bool] = False

    class Selected(Message):
        """Another entry is selected, or the list follows again."""

    class Chosen(Message):
        """An entry was clicked that is selected, or twice."""

        def __init__(self, rows: "Rows") -> None:
            self.rows = rows
            super().__init__()

        @property
        def control(self) -> "Rows":
            """The list it happened in."""
            return self.rows

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.selected: Key | None = None
        self.following = self.follows
        self._top = 0
        self._styles: dict[tuple[str, str], Style] = {}

    # What a list has, by the number of its lines

    @property
    def first(self) -> int:
        """The number of the oldest line."""
        return 0

    @property
    def end(self) -> int:
        """The number after the newest line."""
        raise NotImplementedError

    def key_at(self, number: int) -> Key | None:
        """Whose line that is."""
        raise NotImplementedError

    def lines_of(self, key: Key) -> range:
        """The numbers of an entry's lines; empty when it is gone."""
        raise NotImplementedError

    def pieces(self, number: int, width: int) -> list[Piece]:
        """A line in pieces, whose styles are tones."""
        raise NotImplementedError

    @property
    def hint(self) -> str:
        """What it says while it is empty."""
        return ""

    @property
    def marks_selected(self) -> bool:
        """Do keys work on the selection now, so that it is to be seen?"""
        return self.has_focus

    # Where it stands

    @property
    def top(self) -> int:
        """The number of the first line that is seen."""
        lowest = max(self.first, self.end - max(1, self.size.height))
        return lowest if self.following else max(self.first, min(self._top, lowest))

    @property
    def below(self) -> int:
        """So many lines are below what is seen."""
        return max(0, self.end - self.top - max(1, self.size.height))

    def changed(self) -> None:
        """It holds something else now: show that."""
        if self.following:
            self.selected = self.key_at(self.end - 1)
        elif self.selected is None or not self.lines_of(self.selected):
            self.selected = self.key_at(self.top)
        self.refresh()

    def move(self, by: int) -> None:
        """Select the entry so many further down."""
        number = self._number_of_selected()
        step = 1 if by > 0 else -1
        for _ in range(abs(by)):
            key, place = self.key_at(number), number
            while self.first <= place < self.end and self.key_at(place) == key:
                place += step
            if not self.first <= place < self.end:
                break
            number = place
        self.select(self.key_at(number))

    def page(self, direction: int) -> None:
        """Select an entry about a view further down, or up for -1."""
        height = max(1, self.size.height - 1)
        number = max(self.first, min(self._number_of_selected() + direction * height, self.end - 1))
        self.select(self.key_at(number))

    def select(self, key: Key | None) -> None:
        """Select an entry and have it in sight; the newest of a list that follows makes it follow again."""
        lines = self.lines_of(key) if key is not None else range(0)
        if not lines:
            return
        top, height = self.top, max(1, self.size.height)
        self.selected = key
        self.following = self.follows and lines.stop >= self.end
        if lines.start < top:
            self._top = lines.start
        elif lines.stop > top + height:
            self._top = lines.stop - height
        else:
            self._top = top
        self.refresh()
        self.post_message(self.Selected())

    def _number_of_selected(self) -> int:
        lines = self.lines_of(self.selected) if self.selected is not None else range(0)
        return lines.start if lines else self.top

    def _scroll(self, by: int) -> None:
        lowest = max(self.first, self.end - max(1, self.size.height))
        self._top = max(self.first, min(self.top + by, lowest))
        self.following = self.follows and self._top >= lowest
        if self.following:
            self.selected = self.key_at(self.end - 1)
        self.refresh()
        self.post_message(self.Selected())

    # Painting

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        width = self.size.width
        number = self.top + y
        if self.end == self.first and y == 0:
            return Strip([Segment(fitted(f" {self.hint}", width), self._style("quiet", ""))])
        if number >= self.end:
            return Strip.blank(width, self._style("", ""))
        ground = ""
        if self.key_at(number) == self.selected and self.selected is not None and self.marks_selected:
            ground = "selected"
        bar = self._bar(y)
        pieces = cut(self.pieces(number, width - len(bar)), width - len(bar))
        strip = Strip([Segment(piece.text, self._style(piece.style, ground)) for piece in pieces])
        strip = strip.adjust_cell_length(width - len(bar), self._style("", ground))
        return Strip([*strip, Segment(bar, self._style("faint", ""))]) if bar else strip

    def _bar(self, y: int) -> str:
        height, rows = self.size.height, self.end - self.first
        if rows <= height or height < 3:
            return ""
        long = max(1, height * height // rows)
        start = (self.top - self.first) * (height - long) // max(1, rows - height)
        return "▐" if start <= y < start + long else " "

    def _style(self, tone: str, ground: str) -> Style:
        style = self._styles.get((tone, ground))
        if style is None:
            style = self.rich_style
            if ground:
                style += Style(bgcolor=self.get_component_rich_style(f"rows--{ground}").bgcolor)
            if tone:
                style += self.get_component_rich_style(f"rows--{tone}", partial=True)
            if ground and reverses(self.app):
                style = reversed_row(self.rich_style, style)
            self._styles[(tone, ground)] = style
        return style

    def refresh_lines(self, first: int, last: int) -> None:
        """Paint these lines anew, as far as they are seen."""
        top, (width, height) = self.top, self.size
        first, last = max(first, top), min(last, top + height)
        if first < last:
            self.refresh(Region(0, first - top, width, last - first))

    def notify_style_update(self) -> None:
        """The theme may have changed."""
        super().notify_style_update()
        self._styles.clear()

    def watch_has_focus(self, has_focus: bool) -> None:
        """The selection is seen while the keys work on it."""
        super().watch_has_focus(has_focus)
        self.refresh()

    def size_changed(self) -> None:
        """Other lines fit."""
        self.refresh()

    # The mouse

    def on_click(self, event: events.Click) -> None:
        """A click selects, a click on the selected entry or a double click chooses it."""
        number = self.top + event.y
        key = self.key_at(number) if number < self.end else None
        if key is None:
            return
        if key == self.selected or event.chain > 1:
            self.select(key)
            self.post_message(self.Chosen(self))
        else:
            self.select(key)

    def _on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._scroll(WHEEL_ROWS)

    def _on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._scroll(-WHEEL_ROWS)
