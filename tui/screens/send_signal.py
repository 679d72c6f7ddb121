"""Which signal to send to a job."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from tui.screens.dialog import Dialog
from tui.screens.frame import Frame

SIGNALS = {
    "INT": "interrupt it, as Ctrl+C does",
    "TERM": "ask it to end",
    "HUP": "its terminal is gone; many servers read their settings anew",
    "QUIT": "end it with a core dump, as Ctrl+\\ does",
    "USR1": "whatever the program takes it for",
    "USR2": "whatever the program takes it for",
    "WINCH": "its terminal has another size: paint anew",
    "STOP": "let it stand still",
    "CONT": "let it go on",
    "KILL": "end it at once; only its own process group, and without proof",
}
"""By name, with what it is for."""


class SendSignal(Dialog[str | None]):
    """The name of the signal, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,n", "cancel", "Send none")]

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def compose(self) -> ComposeResult:
        """A list; Enter sends."""
        with Frame(classes="dialog"):
            yield Static(Content(f"Send to {self._name}"), classes="dialog--title")
            yield OptionList(
                *(Option(Content.assemble((f"{name:6}", "bold"), what), id=name) for name, what in SIGNALS.items()),
                compact=True,
            )
            yield Static(
                Content("It goes to the job's process group. Enter sends, Esc sends none."), classes="dialog--text"
            )

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """One was chosen."""
        event.stop()
        self.dismiss(event.option.id)

    def action_cancel(self) -> None:
        """Send none."""
        self.dismiss(None)
