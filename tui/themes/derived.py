"""What a theme gets that isn't ours: the tones of jobdeck's own that it doesn't name."""

from collections.abc import Mapping

from textual.color import Color
from textual.theme import Theme

from tui.themes import ansi
from tui.themes.dark import DARK
from tui.themes.legible import readable
from tui.themes.light import LIGHT

_ANSI = {True: ansi.ANSI_DARK, False: ansi.ANSI_LIGHT}
GROUNDS = ("background", "surface", "panel", "selected", "selected-idle", "typing")
"""Tones that text stands on."""
_TINT = 0.05
"""Of the ink in a field that has the focus: Textual's ``background-tint``."""
_QUIET, _IDLE, _SELECTED = 0.25, 0.1, 0.15
"""How far quieter text goes towards the paper, and grounds of rows towards ink and accent."""


def _terminal(theme: Theme) -> dict[str, str]:
    return {name: color for name, color in theme.variables.items() if name.startswith("term-")}


def grounds(tones: Mapping[str, str]) -> list[Color]:
    """What text of any tone stands on; a field that has the focus is tinted a little."""
    ink = Color.parse(tones["foreground"])
    plain = [Color.parse(tones[name]) for name in GROUNDS]
    return [*plain, *(ground.blend(ink, _TINT) for ground in plain[:3])]


def defaults(theme: Theme) -> dict[str, str]:
    """The quieter tones of text and grounds, the sixteen colours of panes."""
    if theme.ansi:
        return {**_ANSI[theme.dark].variables, "current-foreground": theme.background or "ansi_black"}
    return _mixed(theme, theme.to_color_system().generate())


def tones_of(theme: Theme) -> dict[str, str]:
    """Every tone of a theme that isn't the terminal's own: what it says, what Textual makes of that, and `defaults`."""
    made = theme.to_color_system().generate()
    return {**made, **_mixed(theme, made), **theme.variables}


def _mixed(theme: Theme, made: Mapping[str, str]) -> dict[str, str]:
    paper, ink, primary, accent, warning = (
        Color.parse(made[name]) for name in ("background", "foreground", "primary", "accent", "warning")
    )
    tones = {
        "quiet": ink.blend(paper, _QUIET),
        "faint": ink.blend(paper, 0.6),
        "selected": paper.blend(primary, _SELECTED),
        "selected-idle": paper.blend(ink, _IDLE),
        "typing": paper.blend(accent, _SELECTED),
        "selection": paper.blend(primary, 0.4),
        "found": paper.blend(warning, 0.3),
        "found-foreground": Color.parse("#ffffff" if theme.dark else "#000000"),
        "current-foreground": warning.get_contrast_text(1.0),
        "selection-foreground": Color.parse("#ffffff" if theme.dark else "#000000"),
    }
    for ground in grounds({**made, **{name: tone.hex6 for name, tone in tones.items()}}):
        tones["quiet"] = readable(tones["quiet"], ground)
    return _terminal(DARK if theme.dark else LIGHT) | {name: tone.hex6 for name, tone in tones.items()}
