"""A question with two answers."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from tui.screens.dialog import Dialog
from tui.screens.frame import Frame


class Confirm(Dialog[bool]):
    """``y`` or the button does it; ``n``, Esc and everything else don't."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", "Yes"),
        Binding("n,escape,q", "answer(False)", "No"),
        Binding("left,right,up,down", "app.focus_next", "Other button", show=False),
    ]

    def __init__(self, question: str, detail: str, verb: str) -> None:
        super().__init__()
        self._question, self._detail, self._verb = question, detail, verb

    def compose(self) -> ComposeResult:
        """The question, what it means, two buttons."""
        with Frame(classes="dialog"):
            yield Static(Content(self._question), classes="dialog--title")
            yield Static(Content(self._detail), classes="dialog--text")
            with Horizontal(classes="dialog--buttons"):
                yield Button(Content(f"{self._verb}  y"), id="yes", variant="error", compact=True)
                yield Button(Content("Cancel  n"), id="no", compact=True)

    def on_mount(self) -> None:
        """Enter alone ends nothing."""
        self.query_one("#no", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        self.dismiss(event.button.id == "yes")

    def action_answer(self, answer: bool) -> None:
        """A key was chosen."""
        self.dismiss(answer)
