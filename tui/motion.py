"""Whether anything moves by itself: lists that glide, cursors that blink."""

from textual import constants
from textual.app import App
from textual.widget import Widget
from textual.widgets import Input, TextArea

_USUAL = constants.TEXTUAL_ANIMATIONS


class Motion:
    """Belongs to the outfit. ``TEXTUAL_ANIMATIONS=none`` is as good as the setting, and goes before it."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self.reduced = _USUAL == "none"
        """Does nothing move by itself?"""

    def reduce(self, wanted: bool) -> None:
        """From now on as wanted."""
        self.reduced = wanted or _USUAL == "none"
        self._app.animation_level = "none" if self.reduced else _USUAL
        if self._app.is_running and self._app.focused is not None:
            self.settle(self._app.focused)

    def settle(self, widget: Widget) -> None:
        """This one has the focus: its cursor blinks, or stands."""
        if isinstance(widget, Input | TextArea) and widget.cursor_blink is self.reduced:
            widget.cursor_blink = not self.reduced
