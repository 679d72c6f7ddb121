"""Which ways out are open, as the settings say and the palette changes it."""

import msgspec

from engine.config import Settings


class Ways(msgspec.Struct):
    """Changed in place: who tells looks here each time."""

    bell_on_complete: bool = False
    bell_on_hit: bool = False
    terminal: str = "off"
    """``off``, ``auto``, ``osc9`` or ``osc777``."""
    desktop: bool = False
    focused: bool = False
    """Terminal and desktop are told even while the console has the focus."""
    gather_seconds: float = 0.1
    """What comes within this time is told together."""
    interval_seconds: float = 5.0
    """Terminal and desktop are told at most once in this time."""

    @property
    def leads_out(self) -> bool:
        """Is there a way beside the bell?"""
        return self.desktop or self.terminal != "off"

    def take(self, settings: Settings) -> None:
        """They are as these settings say."""
        self.bell_on_complete, self.bell_on_hit = settings.bell_on_complete, settings.bell_on_hit
        self.terminal, self.desktop = settings.notifications_terminal, settings.notifications_desktop
        self.focused = settings.notifications_focused
        self.gather_seconds = settings.completion_batch_seconds
        self.interval_seconds = settings.notifications_interval_seconds
