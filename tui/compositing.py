"""A frame's costs follow what changed: Textual's compositor, which renders only what is to be painted."""

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class RowCompositor(Compositor):
    """Of a part of the screen it asks only the widgets in it, and them only for its rows.

    Textual's own (8.2) asks all widgets for all of their lines, whichever row is repainted, and drops the most.
    """

    def rows(self, span: range) -> list[Strip]:
        """These rows of the screen as they are now; fewer where it has fewer."""
        part = Region(0, span.start, self.size.width, len(span))
        chops = self._render_chops(part, span.__contains__)
        return [Strip.join(chop.values()) for chop in chops[span.start : span.stop]]

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        rows = self.size.region if crop is None else Region(0, crop.y, self.size.width, crop.height)
        for widget, (region, clip) in self.visible_widgets.items():
            if crop is None or crop.overlaps(region):
                seen = region.intersection(clip).intersection(rows)
                if seen:
                    yield region, seen, widget.render_lines(seen.translate(-region.offset))
