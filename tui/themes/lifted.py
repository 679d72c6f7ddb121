"""Textual's own themes with text that can be read: made for headings and keywords, most of their tones are too dim."""

from dataclasses import replace

from textual.color import Color
from textual.theme import Theme

from tui.themes.derived import defaults, grounds
from tui.themes.judging import INKS
from tui.themes.legible import readable

_ROUNDS = 5
"""Grounds are mixed with inks: lifting one moves the other, less each time."""


def lifted(theme: Theme) -> Theme:
    """The theme with each tone of text moved as far as it can be read on each ground; hues and paper stay."""
    if theme.ansi:
        return theme
    theme, inks = replace(theme, variables={}), dict[str, str]()
    for _ in range(_ROUNDS):
        made = theme.to_color_system().generate()
        before, inks = inks, {name: made[name] for name in INKS if name in made}
        stand_on = grounds(made | defaults(theme))
        for name, tone in inks.items():
            ink = Color.parse(tone)
            for ground in stand_on:
                ink = readable(ink, ground)
            inks[name] = ink.hex6
        if inks == before:
            break
        theme = replace(theme, **inks)  # type: ignore[arg-type]  # its tones are words all
    paper = Color.parse(made["background"]).hex6
    # On a ground of a tone of text stands the paper's.
    return replace(
        theme,
        variables={
            "block-cursor-foreground": paper,
            "button-color-foreground": paper,
            "current-foreground": paper,
            "footer-key-foreground": inks["primary"],
        },
    )
