"""The terminal's own notifications, OSC 9 and OSC 777: which of them a terminal knows, and how tmux lets them by."""

from collections.abc import Mapping

from tui.outside.wording import Message

_OSC777 = ("foot", "rxvt", "konsole", "contour")
"""Parts of the names of terminals that know the second, with a title; most others know the first, or both."""
_NEITHER = ("linux", "dumb", "vt100", "vt220", "apple_terminal", "alacritty", "vscode")
"""Names of those that show nothing; an old Linux console would even print it."""
_BEL, _ST = "\x07", "\x1b\\"


def chosen(way: str, env: Mapping[str, str]) -> str:
    """``osc9``, ``osc777``, or empty where this terminal is known for neither; what isn't ``auto`` is as it says."""
    if way in ("osc9", "osc777", "off"):
        return way.removeprefix("off")
    program = env.get("TERM_PROGRAM", "").lower()
    names = [env.get("TERM", "").lower(), env.get("LC_TERMINAL", "").lower(), "" if program == "tmux" else program]
    if any(name in _NEITHER for name in names) or env.get("WT_SESSION"):  # Windows Terminal's
        return ""
    if env.get("VTE_VERSION") or env.get("KONSOLE_VERSION") or any(one in name for one in _OSC777 for name in names):
        return "osc777"
    return "osc9"


def sequence(way: str, message: Message, *, in_tmux: bool) -> str:
    """What is written to the terminal for it; ``way`` is ``osc9`` or ``osc777``."""
    if way == "osc777":
        # What is between them are fields: a terminal would take the rest of the text for another.
        title, body = (text.replace(";", ",") for text in (f"jobdeck: {message.title}", message.body))
        told = f"\x1b]777;notify;{title};{body}{_BEL}"
    else:
        body = f" · {message.body}" if message.body else ""
        told = f"\x1b]9;jobdeck: {message.title}{body}{_BEL}"  # never begins with a figure: `9;4` is a progress bar
    return f"\x1bPtmux;{told.replace(chr(27), chr(27) * 2)}{_ST}" if in_tmux else told
