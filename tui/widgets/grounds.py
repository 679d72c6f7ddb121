"""How a selected row stands out where no ground can be mixed for it."""

from rich.style import Style
from textual.app import App


def reverses(app: App[object]) -> bool:
    """Is what is selected reversed? Without colours grey on grey could hardly be told apart, and of the terminal's own
    sixteen nobody knows which text can be read on which.
    """
    return app.no_color or app.native_ansi_color


def reversed_row(plain: Style, style: Style) -> Style:
    """A piece of a reversed row: ``plain``, turned round. Its own colour would be a block; its sign says the same."""
    return plain + Style(reverse=True, bold=style.bold, underline=style.underline)
