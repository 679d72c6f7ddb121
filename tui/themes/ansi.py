"""The terminal's own sixteen colours, and nothing else: its palette decides how they look.

Nobody here knows their shades, so only those are used that can be read in the palettes terminals come with: on black
the bright ones but blue, on white blue and red. What stands on another ground elsewhere is reversed here.
"""

from textual.theme import Theme

TONES = (
    "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    *(f"bright-{name}" for name in ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")),
)  # fmt: skip
"""The names of the sixteen, as ``term-NAME`` in a theme."""
TERMINAL = {f"term-{name}": f"ansi_{name.replace('-', '_')}" for name in TONES}


def _variables(ink: str, paper: str, key: str) -> dict[str, str]:
    """``ink`` and ``paper``: the colours of the sixteen that stand for them where both have to be named."""
    return {
        **TERMINAL,
        "quiet": "ansi_default",
        "faint": "ansi_bright_black",
        "selected": "ansi_default",
        "selected-idle": "ansi_default",
        "typing": "ansi_default",
        "selection": ink,
        "selection-foreground": paper,
        "found": "ansi_yellow",
        "found-foreground": "ansi_black",
        "current-foreground": paper,
        "footer-key-foreground": key,
        "block-cursor-foreground": paper,
        "block-cursor-background": ink,
        "block-cursor-blurred-foreground": "ansi_default",
        "block-cursor-blurred-background": "ansi_default",
        "block-hover-background": "ansi_default",
        "input-cursor-foreground": paper,
        "input-cursor-background": ink,
        "input-selection-foreground": paper,
        "input-selection-background": key,
        "ansi-background": paper,
        "ansi-foreground": ink,
        "border": key,
        "border-blurred": "ansi_default",
        "scrollbar": "ansi_bright_black",
        "scrollbar-hover": key,
        "scrollbar-active": key,
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "scrollbar-corner-color": "ansi_default",
    }


ANSI_DARK = Theme(
    name="jobdeck-ansi-dark",
    ansi=True,
    dark=True,
    primary="ansi_bright_cyan",
    secondary="ansi_bright_magenta",
    accent="ansi_bright_cyan",
    success="ansi_bright_green",
    warning="ansi_bright_yellow",
    error="ansi_bright_red",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables=_variables("ansi_bright_white", "ansi_black", "ansi_bright_cyan"),
)

ANSI_LIGHT = Theme(
    name="jobdeck-ansi-light",
    ansi=True,
    dark=False,
    primary="ansi_blue",
    secondary="ansi_blue",
    accent="ansi_blue",
    success="ansi_default",
    warning="ansi_red",
    error="ansi_red",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables=_variables("ansi_black", "ansi_bright_white", "ansi_blue"),
)
