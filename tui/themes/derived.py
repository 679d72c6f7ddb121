"""What a theme gets that isn't ours: the tones of jobdeck's own that it doesn't name."""

from textual.color import Color
from textual.theme import Theme

from tui.themes import ansi
from tui.themes.dark import DARK
from tui.themes.legible import readable
from tui.themes.light import LIGHT

_ANSI = {True: ansi.ANSI_DARK, False: ansi.ANSI_LIGHT}
_QUIET, _IDLE, _SELECTED = 0.25, 0.1, 0.15
"""How far quieter text goes towards the paper, and grounds of rows towards ink and accent."""


def _terminal(theme: Theme) -> dict[str, str]:
    return {name: color for name, color in theme.variables.items() if name.startswith("term-")}


def defaults(theme: Theme) -> dict[str, str]:
    """The quieter tones of text and grounds, the sixteen colours of panes."""
    if theme.ansi:
        return {**_ANSI[theme.dark].variables, "current-foreground": theme.background or "ansi_black"}
    made = theme.to_color_system().generate()
    paper, ink, primary, accent, warning = (
        Color.parse(made[name]) for name in ("background", "foreground", "primary", "accent", "warning")
    )
    selected = paper.blend(primary, _SELECTED)
    quiet = ink.blend(paper, _QUIET)
    for ground in (paper, Color.parse(made["surface"]), Color.parse(made["panel"]), selected):
        quiet = readable(quiet, ground)
    tones = {
        "quiet": quiet,
        "faint": ink.blend(paper, 0.6),
        "selected": selected,
        "selected-idle": paper.blend(ink, _IDLE),
        "typing": paper.blend(accent, _SELECTED),
        "selection": paper.blend(primary, 0.4),
        "found": paper.blend(warning, 0.3),
        "found-foreground": Color.parse("#ffffff" if theme.dark else "#000000"),
        "current-foreground": warning.get_contrast_text(1.0),
        "selection-foreground": Color.parse("#ffffff" if theme.dark else "#000000"),
    }
    return _terminal(DARK if theme.dark else LIGHT) | {name: tone.hex6 for name, tone in tones.items()}
