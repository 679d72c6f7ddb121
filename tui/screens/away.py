"""While you were away: what became of the jobs that an earlier jobdeck left."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Button, Static

from engine.events import Fate
from tui.screens.dialog import Dialog
from tui.screens.fields import MOVES
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.fate_rows import FateRows
from tui.widgets.rows import Rows

_MOST_ROWS = 20
_WIDTH, _FRAME = 100, 6
"""Columns of the dialog, and how many of them its frame takes: as the stylesheet has it."""

_AROUND = 8
"""Rows of the screen that title, buttons and frame take."""


class WhileAway(Dialog[Fate | None]):
    """Left with the job that is to be opened, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *MOVES,
        Binding("escape,q,A", "leave", "Close"),
        Binding("enter", "open", "Open"),
        Binding("down,j", "move(1)", "The next one", show=False),
        Binding("up,k", "move(-1)", "The one above", show=False),
        Binding("pagedown,space", "page(1)", "Some further down", show=False),
        Binding("pageup", "page(-1)", "Some further up", show=False),
    ]

    def __init__(self, fates: Sequence[Fate]) -> None:
        super().__init__()
        self._fates = fates
        self._rows = FateRows(fates)

    def compose(self) -> ComposeResult:
        """The list, and the ways on."""
        with Vertical(classes="dialog -broad"):
            yield Static(Content("While you were away"), classes="dialog--title")
            yield self._rows
            yield DialogFoot(
                Button(Content("Open  Enter"), id="open", variant="primary", compact=True),
                Button(Content("Close  Esc"), id="close", compact=True),
            )

    def on_mount(self) -> None:
        """Begin with what asks for something."""
        self._rows.focus()
        self.on_resize()

    def on_resize(self) -> None:
        """As high as it needs to be at this width."""
        self._rows.lay_out(min(_WIDTH, self.app.size.width * 96 // 100) - _FRAME)
        self._rows.styles.height = max(1, min(self._rows.end, _MOST_ROWS, self.app.size.height - _AROUND))

    def on_rows_chosen(self, event: Rows.Chosen) -> None:
        """One was clicked that is selected, or twice."""
        event.stop()
        self.action_open()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        if event.button.id == "open":
            self.action_open()
        else:
            self.action_leave()

    def action_move(self, by: int) -> None:
        """Select another."""
        self._rows.move(by)

    def action_page(self, direction: int) -> None:
        """Select one further away."""
        self._rows.page(direction)

    def action_open(self) -> None:
        """Open the selected job's pane."""
        if self._rows.fate is not None:
            self.dismiss(self._rows.fate)

    def action_leave(self) -> None:
        """Back to the jobs."""
        self.dismiss(None)
