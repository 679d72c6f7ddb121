"""Choosing a theme: each is worn while it is selected, so that the console behind shows what it looks like."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.theme import Theme
from textual.widgets import Button, Input, Static

from tui.screens.picking import Picking
from tui.widgets.dialog_foot import DialogFoot
from tui.widgets.theme_rows import ThemeRows

_FRAME_ROWS = 12
"""What the dialog has beside its list, and some air."""


class ChooseTheme(Picking[Theme]):
    """Left with the theme that is kept, or None: then the one before is to be worn again."""

    def __init__(self, themes: Sequence[Theme], worn: str, try_on: Callable[[str], None]) -> None:
        self._rows = ThemeRows()
        super().__init__(self._rows)
        self._themes, self._worn, self._try_on = themes, worn, try_on

    def compose(self) -> ComposeResult:
        """A filter, and what fits it."""
        with Vertical(classes="dialog"):
            yield Static(Content("Theme"), classes="dialog--title")
            yield Input(placeholder="type to filter", id="filter", compact=True)
            yield self._rows
            yield DialogFoot(
                Button(Content("Keep  Enter"), id="keep", variant="primary", compact=True),
                Button(Content("Back  Esc"), id="close", compact=True),
            )

    def on_mount(self) -> None:
        """The one that is worn is selected."""
        self.query_one("#filter", Input).focus()
        self.on_resize()
        self._show()

    def on_resize(self) -> None:
        """The list has what the frame leaves."""
        self._rows.styles.height = max(3, min(len(self._themes), self.app.size.height - _FRAME_ROWS))

    def on_input_changed(self) -> None:
        """Others fit."""
        self._show()

    def on_rows_selected(self) -> None:
        """Wear it, to look at it."""
        if self._rows.chosen is not None:
            self._try_on(self._rows.chosen.name)

    def _show(self) -> None:
        words = self.query_one("#filter", Input).value.lower().split()
        fitting = [theme for theme in self._themes if all(word in theme.name.lower() for word in words)]
        names = [theme.name for theme in fitting]
        self._rows.put(fitting, self._worn, names.index(self.app.theme) if self.app.theme in names else 0)
