"""Text from a job, a file or another person, made safe for a cell of the screen."""

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001]"
)
"""Control characters, line separators, direction overrides, invisible ones, lone surrogates."""


def clean(text: str) -> str:
    """``text`` with every character replaced that would do something instead of show something."""
    return _UNSAFE.sub("\ufffd", text)


_JOINERS = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
"""What makes one picture of several: terminals disagree on how many cells that has, and a label must stay straight."""


def clean_line(text: str, most: int = 500) -> str:
    """One line for a label: white space of every kind becomes single blanks; at most ``most`` characters."""
    words = _JOINERS.sub("", clean(re.sub(r"\s+", " ", text[: most * 2]).strip()))
    return words if len(words) <= most else words[: most - 1] + "…"


_PICTURES = {**{number: chr(0x2400 + number) for number in range(32)}, 0x0A: "⏎", 0x7F: "␡"}


def exact(text: str) -> str:
    """A command as it is, blanks and all: control characters as their pictures, nothing else changed."""
    return clean(text.translate(_PICTURES))
