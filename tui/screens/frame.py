"""The frame of a dialog."""

from textual.containers import VerticalScroll


class Frame(VerticalScroll, can_focus=False):
    """What is too long for the terminal scrolls, by arrows, PgUp and PgDn too where a button has the focus.

    The buttons stay in sight below it.
    """
