"""From an emulator's pens to styles of the screen, in the theme's colours."""

from collections.abc import Mapping, Sequence

from rich.segment import Segment
from rich.style import Style
from textual.color import Color, ColorParseError
from textual.strip import Strip

from engine.terminal import Pen, Run
from tui.show.cleaning import clean
from tui.show.links import openable
from tui.themes.legible import readable

_FAINT = 0.45
"""How far faint text goes towards its background."""

_NAMES = {"brown": "yellow", "brightbrown": "bright-yellow", "bfightmagenta": "bright-magenta"}
"""pyte's names of colours that aren't those of the rest of the world."""


class Inks:
    """Styles for pens, made once each; a new one is made when the theme changes."""

    def __init__(self, variables: Mapping[str, str], foreground: Color, background: Color) -> None:
        self._variables = variables
        self._foreground, self._background = foreground, background
        self._styles: dict[Pen, Style] = {}
        self.paper = Style(color=foreground.rich_color, bgcolor=background.rich_color)
        """Blank cells: every cell carries its own background, else the outer terminal's shows through."""

    def style(self, pen: Pen) -> Style:
        """How cells of this pen are painted. A link is one that the console makes: only a target fit for that."""
        style = self._styles.get(pen)
        if style is None:
            if len(self._styles) > 4096:
                self._styles.clear()
            style = self._styles[pen] = self._make(pen)
        return style

    def strip(self, runs: Sequence[Run], left: int, width: int) -> Strip:
        """A row of ``width`` cells, from column ``left`` on."""
        segments = [Segment(text if text.isprintable() else clean(text), self.style(pen)) for text, pen in runs]
        strip = Strip(segments)
        if left:
            strip = strip.crop(left, left + width)
        return strip.adjust_cell_length(width, self.paper)

    def _make(self, pen: Pen) -> Style:
        front = self._color(pen.fg, self._foreground)
        back = self._color(pen.bg, self._background)
        if pen.reverse:
            front, back = back, front
        # The terminal's own colours have no shades to mix: it dims them itself.
        shades = front.ansi is None and back.ansi is None
        if shades and pen.fg != pen.bg and not (_exact(pen.fg) or _exact(pen.bg)):
            front = readable(front, back)
        if pen.faint and shades:
            front = front.blend(back, _FAINT)
        if pen.conceal:
            front = back
        return Style(
            color=front.rich_color,
            bgcolor=back.rich_color,
            bold=pen.bold,
            dim=(pen.faint and not shades) or None,
            italic=pen.italics,
            underline=pen.underscore and pen.underline_style != 2,
            underline2=pen.underscore and pen.underline_style == 2,
            strike=pen.strikethrough,
            overline=pen.overline,
            link=openable(pen.link) or None,
        )

    def _color(self, name: str, default: Color) -> Color:
        if name == "default":
            return default
        try:
            if len(name) == 6 and name.isalnum():
                try:
                    return Color(int(name[:2], 16), int(name[2:4], 16), int(name[4:], 16))
                except ValueError:
                    pass
            known = _NAMES.get(name, name)
            if known.startswith("bright") and not known.startswith("bright-"):
                known = "bright-" + known.removeprefix("bright")
            return Color.parse(self._variables[f"term-{known}"])
        except (KeyError, ColorParseError):
            return default


def _exact(name: str) -> bool:
    """Is it a shade that the job has chosen, not one of the sixteen that have only names? What it makes of such ones,
    and text that it hides in its ground, is its affair.
    """
    return len(name) == 6 and all(digit in "0123456789abcdef" for digit in name)
