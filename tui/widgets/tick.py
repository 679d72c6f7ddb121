"""A box to tick."""

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widgets import Checkbox


class Tick(Checkbox, inherit_bindings=False):
    """A checkbox that can be read without colours: ``[X]`` or ``[ ]``. Enter is the dialog's."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("space", "toggle_button", "Toggle", show=False)]

    @property
    def _button(self) -> Content:
        return Content.styled(f"[{'X' if self.value else ' '}]", self.get_visual_style("toggle--button"))
