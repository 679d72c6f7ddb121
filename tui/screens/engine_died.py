"""The engine's thread has ended: nothing here is live any more."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Static


class EngineDied(ModalScreen[bool]):
    """Leave (the supervisor then ends the jobs), or stay to read what is on the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Leave"), Binding("escape", "stay", "Stay")]

    def compose(self) -> ComposeResult:
        """What happened, what it means, what to press."""
        with Vertical(classes="dialog"):
            yield Static(Content("The engine has stopped"), classes="dialog--title -bad")
            yield Static(
                Content(
                    "Its thread has ended by an error of jobdeck's own. What you see is how things stood at that "
                    "moment; no key reaches a job any more. When you leave, the jobs are ended."
                ),
                classes="dialog--text",
            )
            yield Button(Content("Leave  q"), id="leave", variant="error", compact=True)

    def on_button_pressed(self) -> None:
        """The button was chosen."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Leave."""
        self.dismiss(True)

    def action_stay(self) -> None:
        """Stay to read."""
        self.dismiss(False)
