"""A theme in the 256 colours of a terminal that has no more.

Left to Rich its tones would be rounded each by itself: grounds that differ by a shade become teal, and text that can be
read on one of them no longer can.
"""

from functools import cache

from rich._palettes import EIGHT_BIT_PALETTE
from rich.color import ColorSystem
from textual.color import Color, ColorParseError
from textual.theme import Theme

from tui.themes.derived import GROUNDS, defaults, tones_of
from tui.themes.judging import INKS
from tui.themes.legible import LEAST, contrast

BASE = (
    "primary",
    "secondary",
    "accent",
    "foreground",
    "background",
    "surface",
    "panel",
    "success",
    "warning",
    "error",
)
"""What a theme has to say itself, or Textual mixes it."""
_INKS = ("foreground", "warning", "error", *(name for name in INKS if name not in ("foreground", "warning", "error")))
"""Those first that have least choice."""


@cache
def palette() -> dict[Color, Color]:
    """The cube and the greys as they are seen, each with what has to be asked for to get it: Rich rounds some greys to
    the next ones. The sixteen before them are the terminal's own, of unknown shades.
    """
    greys = [Color(grey, grey, grey) for grey in range(256)]
    asked = {Color(*EIGHT_BIT_PALETTE[number]): Color(*EIGHT_BIT_PALETTE[number]) for number in range(16, 256)}
    return {_seen(color): color for color in (*greys, *asked) if _seen(color) in asked}


def _seen(color: Color) -> Color:
    return Color(*color.rich_color.downgrade(ColorSystem.EIGHT_BIT).get_truecolor())


def in_eight_bit(theme: Theme) -> Theme:
    """The same theme in these colours, the nearest ones; of text the nearest that can be read on all its grounds."""
    if theme.ansi:
        return theme
    made = tones_of(theme)
    tones = {name: shade for name in (*BASE, *defaults(theme), *theme.variables) if (shade := _plain(made[name]))}
    grounds = tuple(_nearest(tones[name]) for name in GROUNDS)
    inks: dict[Color, Color] = {}
    for name in _INKS:  # each of its own, or two states would run together
        inks[tones[name]] = inks.get(tones[name]) or _readable(tones[name], grounds, tuple(inks.values()))
    rounded = {name: inks[shade] if name in _INKS else _nearest(shade) for name, shade in tones.items()}
    given = {name: palette()[shade].hex6 for name, shade in rounded.items()}
    variables = {**theme.variables, **{name: color for name, color in given.items() if name not in BASE}}
    return Theme(
        name=theme.name, primary=given["primary"], secondary=given["secondary"], accent=given["accent"],
        foreground=given["foreground"], background=given["background"], surface=given["surface"], panel=given["panel"],
        success=given["success"], warning=given["warning"], error=given["error"], dark=theme.dark, variables=variables,
    )  # fmt: skip


def _plain(text: str) -> Color | None:
    try:
        color = Color.parse(text)
    except ColorParseError:
        return None
    return color if color.a == 1 else None


def _distance(one: Color, other: Color) -> float:
    """By light and hue: a dark green is nearer to another green than to a grey of its light."""
    return sum((a - b) ** 2 for a, b in zip(_light_and_hue(one), _light_and_hue(other), strict=True))


@cache
def _light_and_hue(color: Color) -> tuple[float, float, float]:
    red, green, blue = color.rgb
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    return light, blue - light, red - light


@cache
def _nearest(shade: Color) -> Color:
    return min(palette(), key=lambda color: _distance(color, shade))


def _readable(shade: Color, grounds: tuple[Color, ...], taken: tuple[Color, ...]) -> Color:
    fit = [color for color in palette() if all(contrast(color, ground) >= LEAST for ground in grounds)]
    return min([color for color in fit if color not in taken] or palette(), key=lambda color: _distance(color, shade))
