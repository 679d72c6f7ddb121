"""A screen over another one, which stays in sight behind it, faintly."""

from typing import TypeVar

from rich.segment import Segment
from rich.style import Style
from textual.color import Color
from textual.geometry import Region
from textual.screen import ModalScreen
from textual.strip import Strip

from tui.compositing import RowCompositor

T = TypeVar("T")
_KEPT = 4_096
"""Faint styles that are remembered."""


class Dialog(ModalScreen[T]):
    """Textual's modal screen; what is behind it is asked for only the rows that are painted, each style mixed once.

    While jobs write, a screen behind changes as often as one without a dialog over it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._compositor = RowCompositor()
        self._faint: dict[Style | None, Style] = {}
        self._veil: Color | None = None

    def render_lines(self, crop: Region) -> list[Strip]:
        """The screen behind, under a veil of the background's colour."""
        stack = self.app.screen_stack
        place = stack.index(self) if self in stack else 0
        behind = stack[place - 1]._compositor if place else None
        if not isinstance(behind, RowCompositor) or self.styles.background.a == 1:
            return super().render_lines(crop)
        if self._veil != self.styles.background or len(self._faint) > _KEPT:
            self._veil = self.styles.background
            self._faint.clear()
        lines = [self._veiled(strip, self._veil) for strip in behind.rows(crop.line_range)]
        lines += [Strip.blank(crop.right, self.rich_style)] * (crop.height - len(lines))
        if crop.column_span != (0, self.size.width):
            lines = [strip.crop(*crop.column_span) for strip in lines]
        # As the terminal grows, the screen behind is told later: its rows are too short to be painted until then.
        return [strip.adjust_cell_length(crop.width, self.rich_style) for strip in lines]

    def _veiled(self, strip: Strip, veil: Color) -> Strip:
        segments = []
        for text, style, _ in strip:
            faint = self._faint.get(style)
            if faint is None:
                faint = self._faint[style] = _mixed(style or Style.null(), veil)
            segments.append(Segment(text, faint))
        return Strip(segments, strip.cell_length)


def _mixed(style: Style, veil: Color) -> Style:
    """A style under a veil; a click on it does nothing."""
    inks = (
        (Color.from_rich_color(color) + veil).rich_color if color is not None else None
        for color in (style.color, style.bgcolor)
    )
    return style.clear_meta_and_links() + Style.from_color(*inks)
