"""A dialog with fields of which something is made."""

from abc import abstractmethod
from typing import ClassVar, TypeVar

from textual.widgets import Button, Input

from tui.screens.dialog import Dialog
from tui.widgets.dialog_foot import DialogFoot

T = TypeVar("T")


class Form(Dialog[T]):
    """Enter in any field asks for it, and so does the button. It is asked for once at a time."""

    BUTTON: ClassVar[str] = "start"
    """The id of the button that asks for it; any other leaves."""

    def __init__(self) -> None:
        super().__init__()
        self._asking = False

    @abstractmethod
    async def _make(self) -> None:
        """Ask for it; leave with what came of it, or say why nothing did."""

    async def action_start(self) -> None:
        """Enter on what isn't a field or a button."""
        if self._asking:
            return
        self._asking = True
        try:
            await self._make()
        finally:
            self._asking = False

    async def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter, in any field."""
        event.stop()
        await self.action_start()

    async def on_button_pressed(self, event: Button.Pressed) -> None:
        """A button was chosen."""
        event.stop()
        if event.button.id == self.BUTTON:
            await self.action_start()
        else:
            self.action_leave()

    @abstractmethod
    def action_leave(self) -> None:
        """Make nothing."""

    def _say(self, why: str) -> None:
        self.query_one(DialogFoot).refuse(why)
