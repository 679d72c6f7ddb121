"""Settings of the console that can be changed while it runs, until it ends: what the palette offers of them.

What is to hold the next time too belongs in the configuration's file.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, Protocol

from tui.announcer import Announcer
from tui.ascii_only import AsciiOnly
from tui.bridge.bridge import Bridge
from tui.news import Mode
from tui.outfit import Outfit
from tui.outside.outside import Outside


class Switched(Protocol):
    """Whose settings they are; the main screen."""

    announcer: Announcer
    ascii_only: AsciiOnly
    outside: Outside
    outfit: Outfit | None

    @property
    def bridge(self) -> Bridge:
        """Knows whether panes are masked."""

    def action_do(self, action_id: str) -> None:
        """Do an action of the table of keys."""

    def say(self, text: str, *, severity: str = "information") -> None:
        """A toast."""

    def repaint(self) -> None:
        """Paint everything anew."""


class Choice(NamedTuple):
    """One value that one setting can get."""

    setting: str
    """Its name in ``[settings]``."""
    text: str
    """What is chosen, for the palette."""
    help: str
    """What it means."""
    holds: bool
    """Is it so already?"""
    choose: Callable[[], None]


_MODES = {
    Mode.CONCISE: ("a line for each end", "A failure adds its last words"),
    Mode.ALL: ("hits and heartbeats too", "All that is told of jobs"),
    Mode.RESULT: ("with the end of the output", "Each end shows what the job printed last"),
    Mode.ERROR: ("only failures", "What ended well is told in the feed alone"),
    Mode.OFF: ("none", "The feed has them"),
}


def choices(deck: Switched) -> Iterator[Choice]:
    """Every value of every such setting; the masking of panes is an action of its own, `view.redact`."""
    announcer = deck.announcer
    for mode, (text, what) in _MODES.items():
        holds = announcer.mode is mode
        yield Choice("notifications", f"Notifications: {text}", what, holds, partial(_tell_as, deck, mode))
    yield from _ways_out(deck)
    yield from _switch(
        "ascii", "ASCII only", "Every sign in ASCII, for terminals without Unicode", deck.ascii_only.on,
        partial(_spell, deck),
    )  # fmt: skip
    if deck.outfit is not None:
        motion = deck.outfit.motion
        yield from _switch(
            "reduced_motion", "Motion", "Whether lists glide and cursors blink", motion.reduced, motion.reduce,
            words=("reduced", "usual"),
        )  # fmt: skip


def _switch(
    setting: str,
    text: str,
    what: str,
    is_on: bool,
    turn: Callable[[bool], None],
    words: tuple[str, str] = ("on", "off"),
) -> Iterator[Choice]:
    """A setting that is or isn't; its two values in ``words``."""
    for on, word in zip((True, False), words, strict=True):
        yield Choice(setting, f"{text}: {word}", what, is_on is on, partial(turn, on))


def _tell_as(deck: Switched, mode: Mode) -> None:
    deck.announcer.mode = mode
    deck.say(f"Notifications: {_MODES[mode][0]}, until jobdeck ends")


_WAYS = {
    "bell_on_complete": ("bell_on_complete", "Bell", "The terminal's bell when jobs end"),
    "bell_on_hit": ("bell_on_hit", "Bell at hits", "The terminal's bell when a watch of yours hits"),
    "notifications_desktop": (
        "desktop",
        "Desktop notifications",
        "By notify-send, while this terminal isn't looked at",
    ),
    "notifications_focused": ("focused", "Notifications while looking", "Also while this terminal has the focus"),
}
_TERMINAL = {
    "auto": "By the sequence that this terminal is known for",
    "osc9": "iTerm2, kitty, WezTerm, Ghostty and others",
    "osc777": "foot, rxvt, Konsole, GNOME's terminals",
    "off": "None",
}


def _ways_out(deck: Switched) -> Iterator[Choice]:
    ways = deck.outside.ways
    for setting, (name, text, what) in _WAYS.items():
        yield from _switch(setting, text, what, getattr(ways, name), partial(_turn_way, deck, name, text))
    for way, what in _TERMINAL.items():
        told = f"Terminal notifications: {way}"
        choose = partial(_open_way, deck, "terminal", way, told)
        yield Choice("notifications_terminal", told, what, ways.terminal == way, choose)


def _turn_way(deck: Switched, name: str, text: str, on: bool) -> None:
    _open_way(deck, name, on, f"{text}: {'on' if on else 'off'}")


def _open_way(deck: Switched, name: str, value: bool | str, told: str) -> None:
    setattr(deck.outside.ways, name, value)
    deck.say(f"{told}, until jobdeck ends")


def _spell(deck: Switched, on: bool) -> None:
    deck.ascii_only.on = on
    deck.repaint()
