"""The lower end of a dialog: what is wrong, and its buttons, in sight however little room there is."""

from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Static

from tui.show.cleaning import clean_line


class DialogFoot(Vertical):
    """Stays while what stands above it scrolls."""

    def __init__(self, *buttons: Button) -> None:
        super().__init__(
            Static(id="trouble", markup=False),
            Horizontal(*buttons, classes="dialog--buttons"),
            classes="dialog--foot",
        )

    def say(self, text: str) -> None:
        """Show this, as it is; nothing is shown for an empty text."""
        self.query_one("#trouble", Static).update(Content(text))

    def refuse(self, why: str) -> None:
        """Say why not, in one line; empty: nothing is wrong any more."""
        self.say(f"✗ {clean_line(why)}" if why else "")
