"""The engine's thread has ended: nothing here is live any more."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from tui.screens.dialog import Dialog
from tui.screens.frame import Frame


class EngineDied(Dialog[bool]):
    """Leave (the supervisor then ends the jobs), or stay to read what is on the screen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q", "leave", "Leave"), Binding("escape", "stay", "Stay")]

    def compose(self) -> ComposeResult:
        """What happened, what it means, what to press."""
        with Frame(classes="dialog"):
            yield Static(Content("The engine has stopped"), classes="dialog--title -bad")
            yield Static(
                Content(
                    "Its thread has ended by an error of jobdeck's own. What you see is how things stood at that "
                    "moment; no key reaches a job any more. When you leave, the jobs are ended."
                ),
                classes="dialog--text",
            )
            with Horizontal(classes="dialog--buttons"):
                yield Button(Content("Leave  q"), id="leave", variant="error", compact=True)
                yield Button(Content("Stay  Esc"), id="stay", compact=True)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        self.dismiss(event.button.id == "leave")

    def action_leave(self) -> None:
        """Leave."""
        self.dismiss(True)

    def action_stay(self) -> None:
        """Stay to read."""
        self.dismiss(False)
