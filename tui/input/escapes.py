r"""Text with escapes such as ``\x03`` for what can't be typed into a field, and back."""

import re
from collections.abc import Callable

_SIMPLE = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\",
}  # fmt: skip
_HEX = {"x": 2, "u": 4, "U": 8}
_ESCAPE = re.compile(
    r"\\(?:x(?P<x>[0-9A-Fa-f]{2})|u(?P<u>[0-9A-Fa-f]{4})|U(?P<U>[0-9A-Fa-f]{8})|(?P<octal>0[0-7]{0,2}))"
)
_SPECIAL = re.compile(r"[\x00-\x1f\\\x7f\ud800-\udfff]")
_NAMES = {value: name for name, value in reversed(_SIMPLE.items())}
KNOWN = r"\x03 \t \n \e \u0041 \\"
"""Those that a person needs, as they are told."""


class BadEscape(ValueError):
    """A backslash begins nothing that is known; the text says which and what does."""


def meant(text: str) -> str:
    r"""What ``text`` stands for. ``\xHH`` is a byte: one above 7F comes back as a lone surrogate, as decoders have it.

    Raises:
        BadEscape: A backslash begins no escape.
    """
    out: list[str] = []
    at = 0
    while (start := text.find("\\", at)) >= 0:
        out.append(text[at:start])
        found = _ESCAPE.match(text, start)
        if found is not None:
            out.append(_character(found))
            at = found.end()
        elif (simple := _SIMPLE.get(text[start + 1 : start + 2])) is not None:
            out.append(simple)
            at = start + 2
        else:
            raise BadEscape(_why(text[start:]))
    return "".join(out) + text[at:]


def escaped(text: str) -> str:
    """``text`` so that `meant` gives it back, on one line."""
    write: Callable[[re.Match[str]], str] = lambda found: (  # noqa: E731
        f"\\{_NAMES[found[0]]}" if found[0] in _NAMES else f"\\x{ord(found[0]) & 0xFF:02x}"
    )
    return _SPECIAL.sub(write, text)


def _character(found: re.Match[str]) -> str:
    if found["octal"]:
        return chr(int(found["octal"], 8))
    number = int(found[found.lastgroup or "x"], 16)
    if found["x"]:
        return chr(number if number < 0x80 else 0xDC00 + number)
    if number > 0x10FFFF or 0xD800 <= number < 0xE000:
        raise BadEscape(f"{found[0]} is no character")
    return chr(number)


def _why(rest: str) -> str:
    letter = rest[1:2]
    if not letter:
        return "a lone backslash at the end: \\\\ is a backslash"
    if letter in _HEX:
        return f"\\{letter} wants {_HEX[letter]} hex digits, as in \\{letter}{'41'.rjust(_HEX[letter], '0')}"
    return f"\\{letter} is no escape: {KNOWN} are"
