"""The line over the stack into which one types what the jobs are to contain."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.widgets import Input

from tui import keymap
from tui.widgets.line import Line, Piece
from tui.widgets.stack import StatusStack

_ROOMY = 14


class FilterLine(Input):
    """The words."""

    BINDINGS: ClassVar[list[BindingType]] = [*keymap.bindings("filter")]


class StackFilter(Horizontal):
    """Filters while one types. Hidden as long as nothing is filtered."""

    def __init__(self, stack: StatusStack, above: Line) -> None:
        """``above`` has no blank line below it while this is there."""
        super().__init__(id="stack-filter")
        self._stack = stack
        self._above = above
        self.line = FilterLine(placeholder="name, command, tag, state", id="filter", compact=True)
        self._mark = Line(id="filter-mark")
        self._said = Line(id="filter-said")

    def compose(self) -> ComposeResult:
        """A sign, the words, how many they hide."""
        yield self._mark
        yield self.line
        yield self._said

    def open(self) -> None:
        """Begin, or go on typing."""
        self._appear()
        self.line.action_end()
        self.screen.set_focus(self.line, scroll_visible=False)
        self.tell()

    def recall(self, words: str) -> None:
        """As it was left the last time."""
        if words:
            self._appear()
            with self.prevent(Input.Changed):
                self.line.value = words
            self.tell()

    def accept(self) -> None:
        """Back to the jobs; the filter stays."""
        self._leave()
        self.tell()

    def clear(self) -> None:
        """Filter no more."""
        self.line.value = ""
        self._stack.rearrange(words="")
        self._leave()
        self.tell()

    def _appear(self) -> None:
        self._show(True)
        self._mark.put([Piece(" / ", "bold $primary", "stack.filter")])

    def _leave(self) -> None:
        if self.screen.focused is self.line:
            # At once: the next key of a burst is the stack's.
            self.screen.set_focus(self._stack, scroll_visible=False)

    def tell(self) -> None:
        """Say how many are hidden; be there only while that is of use."""
        typing = self.is_attached and self.screen.focused is self.line
        if not typing and not self._stack.arrangement.words:
            self._show(False)
        hidden = f"{self._stack.hidden:,}"
        words = f"{hidden} hidden" if self._said.content_size.width >= _ROOMY else f"{hidden} hid"
        self._said.put([], [Piece(f" {words}", "$quiet"), Piece(" × ", "$quiet", "stack.unfilter")])

    def _show(self, shown: bool) -> None:
        if shown != self.display:
            self.display = shown
            self._above.set_class(shown, "-filtered")

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show what contains this."""
        event.stop()
        self._stack.rearrange(words=event.value.strip())

    def on_resize(self) -> None:
        """More or fewer words."""
        self.tell()
