"""Textual's own themes with text that can be read: made for headings and keywords, most of their tones are too dim."""

from dataclasses import replace

from textual.color import Color
from textual.theme import Theme

from tui.themes.derived import grounds, tones_of
from tui.themes.judging import INKS
from tui.themes.legible import readable

_NAMED = tuple(ink for ink in INKS if ink != "quiet")
"""What a theme says itself; the other is mixed of these."""
_ROUNDS = 5
"""Grounds are mixed with inks: lifting one moves the other, less each time."""


def lifted(theme: Theme) -> Theme:
    """The theme with each tone of text moved as far as it can be read on each ground; hues and paper stay."""
    if theme.ansi:
        return theme
    theme, inks = replace(theme, variables={}), dict[str, str]()
    for _ in range(_ROUNDS):
        made = tones_of(theme)
        before, inks = inks, {}
        stand_on = grounds(made)
        for name in _NAMED:
            ink = Color.parse(made[name])
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
