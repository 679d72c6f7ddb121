"""Looking at output at C speed: how much of it is lines that stay within themselves, and of what kind."""

import re
from typing import Final

from engine.terminal.raw import EDITS
from engine.terminal.tokens import NARROW as NARROW_CLASS
from engine.terminal.tokens import WIDE

WINDOW: Final = 65536
SMALL_WINDOW: Final = 8192
"""Characters to print the normal way when something among them can't be deferred."""
_FINE: Final = bytes(c for c in range(256) if 0x20 <= c < 0x7F or c in b"\b\t\n\r\x1b" or (c >= 0x80 and c != 0xC2))
_TEXT: Final = bytes(c for c in _FINE if c not in b"\r\n")
_ALL_BUT_ENDS: Final = bytes(c for c in range(256) if c not in b"\r\n")
_FOREIGN: Final = re.compile(rb"\x1b(?!\[[0-9;:]*+[mKGCDXP@])")
"""A sequence that may do more than change the pen and the cursor's row."""
_LASTING: Final = re.compile(r"\x1b(?!\[[0-9;:]*+[mKGCDXP@])")
_C1_CONTROL: Final = re.compile(r"[\x80-\x9f]")
_C1: Final = re.compile(rb"\xc2[\x80-\x9f]")
NARROW_ONLY: Final = re.compile(f"[\\r\\n\\x1b{NARROW_CLASS}]*+")
_PLAIN: Final = re.compile(f"[\\r\\n\\x1b{NARROW_CLASS}{WIDE}]*+")
OTHER, NARROW, WITH_WIDE = range(3)


def _fits(window: str, newline: bool) -> bool:
    """Whether a window holds nothing but text and what stays within its row."""
    raw = window.encode("utf-8", "surrogatepass")
    rest = raw.translate(None, _TEXT)
    if rest == b"\r\n" * (len(rest) // 2):  # as in most logs: one pass tells all
        return b"\x1b" not in raw or not _FOREIGN.search(raw)
    odd = raw.translate(None, _FINE)
    if odd and (odd.strip(b"\xc2") or _C1.search(raw)):
        return False
    if b"\x1b" in raw and _FOREIGN.search(raw):
        return False
    if newline:
        return True
    ends = raw.translate(None, _ALL_BUT_ENDS)
    return ends == b"\r\n" * (len(ends) // 2) or raw.count(b"\n") == raw.count(b"\r\n")


def leaves_a_pen_at_most(data: str, start: int, end: int) -> bool:
    """Whether whole lines, once they have scrolled away, leave nothing behind but the pen.

    Unlike lines that are kept they may hold any control that acts on their rows alone.
    """
    if any(data.find(control, start, end) >= 0 for control in "\x07\x0e\x0f"):
        return False
    if data.find("\x1b", start, end) >= 0 and _LASTING.search(data, start, end):
        return False
    return data.isascii() or _C1_CONTROL.search(data, start, end) is None


def scan(data: str, start: int, newline: bool) -> int:
    """How far from ``start`` on whole lines fit."""
    at = start
    size = WINDOW
    while at < len(data):
        end = data.rfind("\n", at, at + size) + 1
        if end and _fits(data[at:end], newline):
            at = end
        elif size > SMALL_WINDOW:
            size = SMALL_WINDOW  # Get as near to what does not fit as is worth it.
        else:
            break
    return at


def kind_of(text: str) -> int:
    """Whether lines hold nothing but narrow text and SGR, or wide characters too, or something else."""
    if EDITS.search(text):
        return OTHER
    if text.isascii() or NARROW_ONLY.fullmatch(text):
        return NARROW
    return WITH_WIDE if _PLAIN.fullmatch(text) else OTHER
