"""Can text be read in a theme? Told of its main tones; what is really painted is the tests' to look at."""

from typing import NamedTuple

from textual.color import Color
from textual.theme import Theme

from tui.themes.derived import GROUNDS, tones_of
from tui.themes.legible import contrast

INKS = ("foreground", "quiet", "primary", "secondary", "accent", "success", "warning", "error")
"""Tones that text has."""


class Weakest(NamedTuple):
    """The pair of tones with the least contrast."""

    ratio: float
    """From 1 to 21."""
    ink: str
    ground: str


def weakest(theme: Theme) -> Weakest | None:
    """Where text is hardest to read; None for the terminal's own colours, of which nobody here knows the shades."""
    if theme.ansi:
        return None
    made = tones_of(theme)
    tones = {name: Color.parse(made[name]) for name in (*INKS, *GROUNDS)}
    return min(Weakest(contrast(tones[ink], tones[ground]), ink, ground) for ink in INKS for ground in GROUNDS)
