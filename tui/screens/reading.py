"""All of what a list has room for only in part."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from tui.screens.dialog import Dialog
from tui.screens.frame import Frame


class Reading(Dialog[bool]):
    """True: go to its job."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,space", "leave", "Close"),
        Binding("left,right,up,down", "app.focus_next", "Other button", show=False),
    ]

    def __init__(self, title: str, lines: Sequence[tuple[str, str]], go: str = "") -> None:
        """``lines`` are text and style; ``go`` is what going there is called, empty where there is no job to go to."""
        super().__init__()
        self._title, self._lines, self._go = title, lines, go

    def compose(self) -> ComposeResult:
        """The text as it is, and the ways on."""
        with Frame(classes="dialog -broad"):
            yield Static(Content(self._title), classes="dialog--title")
            yield Static(Content("\n").join(Content.styled(text, style) for text, style in self._lines))
            with Horizontal(classes="dialog--buttons"):
                if self._go:
                    yield Button(Content(f"{self._go}  Enter"), id="go", variant="primary", compact=True)
                yield Button(Content("Close  Esc"), id="close", compact=True)

    def on_mount(self) -> None:
        """Enter goes on, if there is a way."""
        self.query(Button).first().focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        self.dismiss(event.button.id == "go")

    def action_leave(self) -> None:
        """Back to the list."""
        self.dismiss(False)
