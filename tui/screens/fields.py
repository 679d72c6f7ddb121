"""Moving through the fields of a dialog."""

from textual.binding import Binding

MOVES = (
    Binding("tab", "app.focus_next", "Next field", show=False, priority=True),
    Binding("shift+tab", "app.focus_previous", "Field before", show=False, priority=True),
)
"""With priority: what is typed in one burst with Tab goes to the field that Tab leads to."""
