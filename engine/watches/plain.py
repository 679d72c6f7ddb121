"""A job's raw output as the pieces of lines that patterns are matched against.

Escape sequences vanish, so that a match goes through colours. A carriage return and whatever moves the cursor end a
piece: what stands on both sides of it is never read together. A step to the right counts as a space.
"""

import re

_CSI = r"(?:\x1b\[|\x9b)"
_END_OF_STRING = r"(?:\x07|\x1b\\|\x9c)"
_STRING = rf"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\n\x07\x1b\x9c]*{_END_OF_STRING}?"
SEQUENCE = rf"{_CSI}[0-?]*[ -/]*[@-~]?|{_STRING}|\x1b[ -/]*[0-~]?"
"""One escape sequence, as both `re` and google-re2 read it; one that isn't finished too."""
STEP = rf"{_CSI}[0-9]*C"
"""A step to the right."""
UNSEEN = r"[\x00\x07]|[^\r\n\x08]?\x08"
"""What leaves nothing on the line: NUL, BEL, a character and the backspace over it."""
_MOVE = rf"{_CSI}[0-9;]*[ABD-Hdf]|{_CSI}[23]J|\x1b[DEMc]"
_COLOUR = re.compile(r"\x1b\[[0-9;:]*[mK]")
_ANY = re.compile(rf"(?P<step>{STEP})|(?P<move>{_MOVE})|{SEQUENCE}|{UNSEEN}")
_END = re.compile(rf"(?P<return>\r)|(?P<step>{STEP})|(?P<move>{_MOVE})|{SEQUENCE}|{UNSEEN}")
_VANISHING = "\x1b\x08\x07\x00"
_C1_SIGNS = "\x90\x98\x9b\x9d\x9e\x9f"


def is_solid(text: str) -> bool:
    """Nothing in it that vanishes: what is read together stands together?"""
    return not (any(sign in text for sign in _VANISHING) or _has_c1(text))


def stripped(text: str) -> str:
    """The text without sequences: a line feed ends a line, a carriage return any other piece."""
    text = _COLOUR.sub("", text)
    if not is_solid(text):
        text = _ANY.sub(_shown, text)
    return text


def piece_start(line: str, number: int) -> int:
    """Where in a raw line the piece of that number begins, counted from 0 as `stripped` cuts them."""
    at = 0
    if number:
        for found in _END.finditer(line):
            if found.lastgroup in ("return", "move"):
                number -= 1
                at = found.end()
                if not number:
                    break
    return at


def after_last_piece(text: str) -> int:
    """Where the last piece begins in a text without line feeds; 0 where it has but one.

    A carriage return at the very end may belong to a line feed that hasn't come, so it ends nothing.
    """
    at = text.rfind("\r", 0, len(text) - 1) + 1
    if "\x1b" in text or _has_c1(text):
        for found in _END.finditer(text, at):
            if found.lastgroup == "move" and found.end() < len(text):
                at = found.end()
    return at


def after_first_piece(text: str) -> int:
    """Where the second piece begins; the text's length where there is none."""
    line_end = text.find("\n") + 1 or len(text)
    for found in _END.finditer(text, 0, line_end):
        if found.lastgroup in ("return", "move"):
            return found.end()
    return line_end


def _shown(found: re.Match[str]) -> str:
    kind = found.lastgroup
    return "" if kind is None else " " if kind == "step" else "\r"


def _has_c1(text: str) -> bool:
    return not text.isascii() and any(sign in text for sign in _C1_SIGNS)
