"""Pasted text for a program that asked to be told where it begins and ends (mode 2004)."""

import re

_START, _END = "\x1b[200~", "\x1b[201~"
_MARK = re.compile("(?:\x1b\\[|\x9b)20[01]~")


def bracketed(text: str) -> str:
    """``text`` between the marks of a paste. It can't end the paste itself: what would is taken out, however nested."""
    while (plain := _MARK.sub("", text)) != text:
        text = plain
    return f"{_START}{text}{_END}"
