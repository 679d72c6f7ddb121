"""The console's own themes, and what its parts need of every other one."""

from textual.theme import Theme

from tui.themes.ansi import ANSI_DARK, ANSI_LIGHT
from tui.themes.contrast import CONTRAST_DARK, CONTRAST_LIGHT
from tui.themes.dark import DARK
from tui.themes.derived import defaults
from tui.themes.lifted import lifted
from tui.themes.light import LIGHT

OURS: tuple[Theme, ...] = (DARK, LIGHT, CONTRAST_DARK, CONTRAST_LIGHT, ANSI_DARK, ANSI_LIGHT)
"""In the order in which they are offered."""

__all__ = [
    "ANSI_DARK", "ANSI_LIGHT", "CONTRAST_DARK", "CONTRAST_LIGHT", "DARK", "LIGHT", "OURS", "defaults",
    "lifted",
]  # fmt: skip
