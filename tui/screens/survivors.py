"""Who could not be ended, why, and what to do about it."""

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Button, Static

from engine.results import Survivor
from tui.screens.dialog import Dialog
from tui.screens.frame import Frame
from tui.show.cleaning import clean_line
from tui.show.endings import advice

LISTED = 6


class Survivors(Dialog[bool]):
    """True: kill them again."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k,x,X", "answer(True)", "Kill again"),
        Binding("n,escape,q", "answer(False)", "Close"),
        Binding("left,right,up,down", "app.focus_next", "Other button", show=False),
    ]

    def __init__(self, name: str, survivors: Sequence[Survivor]) -> None:
        super().__init__()
        self._name = name
        self._survivors = survivors

    def compose(self) -> ComposeResult:
        """One part a process."""
        count = len(self._survivors)
        many = f"{count} processes" if count > 1 else "A process"
        with Frame(classes="dialog -broad"):
            yield Static(Content(f"{many} of {self._name} could not be ended"), classes="dialog--title")
            yield Static(Content.assemble(*self._lines()), id="survivors", classes="dialog--text")
            with Horizontal(classes="dialog--buttons"):
                yield Button(Content("Kill again  k"), id="again", variant="error", compact=True)
                yield Button(Content("Close  Esc"), id="close", compact=True)

    def _lines(self) -> list[tuple[str, str]]:
        lines: list[tuple[str, str]] = []
        for one in self._survivors[:LISTED]:
            lines += [(f"{one.pid}  ", "$warning"), (f"{clean_line(one.command, 60)}\n", "bold $foreground")]
            lines += [(f"  {clean_line(one.why, 100)}.\n", "$error"), (f"  {advice(one)}\n", "$foreground")]
        if len(self._survivors) > LISTED:
            lines.append((f"and {len(self._survivors) - LISTED} more\n", "$quiet"))
        lines.append(("A job runs as long as one of its processes does.", "$quiet"))
        return lines

    def on_mount(self) -> None:
        """Enter alone ends nothing."""
        self.query_one("#close", Button).focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        self.dismiss(event.button.id == "again")

    def action_answer(self, answer: bool) -> None:
        """A key was chosen."""
        self.dismiss(answer)
