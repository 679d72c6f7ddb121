"""A script for the far side's ``sh``, in words that arrive unchanged whatever shells read them on the way.

The words of a command are quoted for ``sh``, and the whole script is then told in letters that mean the same to every
shell within single quotes: of a backslash and a quote, an exclamation mark (csh) and a line feed each shell thinks
otherwise, and bytes that aren't ASCII depend on its locale. So these go as octal escapes, which ``printf %b`` of the
far ``sh`` undoes.
"""

import os
import re

_DECODE = 'eval "$(printf %b "$1")"'
_PLAIN = frozenset(range(0x20, 0x7F)) - frozenset(b"\\'!")
_NEEDS_NO_QUOTES = re.compile(r"[A-Za-z0-9_./:,@+-]+\Z")


def for_sh(word: str) -> str:
    """One word as ``sh`` has to read it; it may hold any character but NUL."""
    return word if _NEEDS_NO_QUOTES.match(word) else "'" + word.replace("'", "'\\''") + "'"


def told(script: str) -> str:
    """The script in letters that mean the same to every shell, and to a terminal; ``printf %b`` gives it back."""
    return "".join(chr(byte) if byte in _PLAIN else f"\\0{byte:03o}" for byte in os.fsencode(script))


def script_words(script: str, shells: int) -> list[str]:
    """The words that run ``script`` by ``sh`` at the far end of a way on which so many shells read them, one by one."""
    words = ["sh", "-c", _DECODE, "jobdeck", told(script)]
    for _ in range(shells):
        words = [for_sh(word) for word in words]
    return words
