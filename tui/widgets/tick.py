"""A box to tick."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Checkbox


class Tick(Checkbox, inherit_bindings=False):
    """A checkbox that can be read without colours: empty when it is off. Enter is the dialog's."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_button", "Toggle", show=False)]

    def render(self) -> Content:
        """The sign, or nothing."""
        self.BUTTON_INNER = "X" if self.value else " "
        return super().render()
