"""Widgets that learn of every change of their size."""

from textual.geometry import Size
from textual.widget import Widget


class Sized(Widget):
    """Calls `size_changed` after each change of size. Comes first among the bases of a class.

    Textual's Resize event doesn't come when something asked for the map of all widgets between a scroll and the
    layout (8.2.8: ``Compositor.full_map`` is then rebuilt aside, and the layout finds nothing changed), so the
    place where the size is set is watched instead.
    """

    def _size_updated(self, size: Size, virtual_size: Size, container_size: Size, layout: bool = True) -> bool:
        changed = size != self._size
        result = super()._size_updated(size, virtual_size, container_size, layout)
        if changed:
            self.call_later(self.size_changed)
        return result

    def size_changed(self) -> None:
        """The widget has another size."""
