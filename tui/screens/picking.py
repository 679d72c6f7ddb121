"""A dialog in which a text field asks and a list answers: one of the list is what it is left with."""

from typing import ClassVar, Generic, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.widgets import Button, Input

from tui.screens.dialog import Dialog
from tui.screens.fields import MOVES
from tui.widgets.picked import Picked
from tui.widgets.rows import Rows

T = TypeVar("T")
_MOVES = {"up": -1, "down": 1}
_PAGES = {"pageup": -1, "pagedown": 1}


class Picking(Dialog[T | None], Generic[T]):
    """Left with an entry, or None. Arrows move in the list while the text field keeps the focus.

    The button ``close`` leaves it; any other one goes on with the selected entry, as Enter does.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*MOVES, Binding("escape", "leave", "Close")]

    def __init__(self, entries: Picked[T]) -> None:
        super().__init__()
        self._entries = entries

    def on_key(self, event: events.Key) -> None:
        """The list moves."""
        if event.key in _MOVES:
            event.stop()
            self._entries.move(_MOVES[event.key])
        elif event.key in _PAGES:
            event.stop()
            self._entries.page(_PAGES[event.key])

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go on with the selected one."""
        event.stop()
        self._pick()

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """One was clicked that is selected, or twice."""
        event.stop()
        self._pick()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        if event.button.id == "close":
            self.action_leave()
        else:
            self._pick()

    def _pick(self) -> None:
        if self._entries.chosen is not None:
            self.dismiss(self._entries.chosen)

    def action_leave(self) -> None:
        """Pick none."""
        self.dismiss(None)
