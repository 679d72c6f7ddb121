"""Every key, from the table that the keys themselves come from."""

import textwrap
from typing import ClassVar

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual
from textual.widgets import Static

from tui import keymap
from tui.screens.dialog import Dialog
from tui.show.legend import SIGNS

KEYS_WIDTH = 18
USUAL_WIDTH = 72
"""Columns that the text is made for before it has a place."""


def help_text(width: int = USUAL_WIDTH) -> Content:
    """The table of keys, a part for each place where they work, with lines of at most ``width`` columns."""
    parts: list[tuple[str, str]] = []
    for place, title in keymap.PLACES.items():
        parts.append((f"{title}\n", "bold $primary"))
        for key in keymap.TABLE:
            if key.where == place and key.keys and key.listed:
                parts += _row(keymap.shown_keys(key), key.description, width)
        parts.append(("\n", ""))
    parts.append(("Signs\n", "bold $primary"))
    for signs, text in SIGNS:
        parts += _row(signs, text, width, "bold $foreground")
    parts.append(("\n", ""))
    parts.append(("In dialogs\n", "bold $primary"))
    for keys, text in keymap.IN_DIALOGS:
        parts += _row(keys, text, width)
    parts.append(
        (
            "\nThe mouse does all of it: rows, tabs, ×, the keys in the footer, the wheel. Drag selects, two clicks "
            "a word, three a line; a click left of a line marks it.\n",
            "$quiet",
        )
    )
    parts.append(
        ("Actions without a key are in the palette. Hold Shift to select with your terminal instead.", "$quiet")
    )
    return Content.assemble(*parts)


def _row(keys: str, text: str, width: int, tone: str = "bold $footer-key-foreground") -> list[tuple[str, str]]:
    """Keys and what they do, side by side; what goes on in a further line does so below itself."""
    indent = KEYS_WIDTH + 2
    lines = textwrap.wrap(text, max(10, width - indent)) or [""]
    room = " " * (KEYS_WIDTH - cell_len(keys)) if cell_len(keys) < KEYS_WIDTH else f"\n{' ' * indent}"
    return [(f"  {keys}{room}", tone), (f"\n{' ' * indent}".join(lines) + "\n", "$foreground")]


class _HelpText(ScrollView, can_focus=True):
    """The text, wrapped for the width there is; only the lines in sight are drawn."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._lines: list[Content] = []
        self._drawn: dict[int, Strip] = {}
        self._width = 0

    def notify_style_update(self) -> None:
        """The theme may have changed."""
        super().notify_style_update()
        self._drawn.clear()

    def on_resize(self) -> None:
        """There is room for other lines."""
        self._wrap()
        self.virtual_size = Size(self._width, len(self._lines))

    def _wrap(self) -> None:
        if self._width != self.scrollable_content_region.width:
            self._width = self.scrollable_content_region.width
            self._lines = help_text(self._width).split(allow_blank=True)
            self._drawn.clear()

    def render_line(self, y: int) -> Strip:
        """One line of the view."""
        self._wrap()  # the first frame comes before the first size is told
        number = y + round(self.scroll_y)
        if not 0 <= number < len(self._lines):
            return Strip.blank(self._width, self.rich_style)
        if number not in self._drawn:
            self._drawn[number] = Visual.to_strips(self, self._lines[number], self._width, 1, self.visual_style)[0]
        return self._drawn[number]


class Help(Dialog[None]):
    """Any of the usual keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "leave", "Close"),
        Binding("j", "scroll(1)", show=False),
        Binding("k", "scroll(-1)", show=False),
    ]

    def compose(self) -> ComposeResult:
        """The text, scrolling when it is longer than the screen."""
        with Vertical(classes="dialog -tall"):
            yield Static(Content("Keys"), classes="dialog--title")
            yield _HelpText(id="help-scroll")
            yield Static(Content("Esc closes · j k scroll"), classes="dialog--text")

    def action_leave(self) -> None:
        """Back to the jobs."""
        self.dismiss(None)

    def action_scroll(self, by: int) -> None:
        """A line up or down."""
        self.query_one("#help-scroll").scroll_relative(y=by, animate=False)
