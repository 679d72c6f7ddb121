"""Text as it is read on a screen, for finding what is cut up by what nobody sees; with the way back to the raw text.

Escape sequences, zero-width characters and characters that are struck out again vanish. Where the cursor moves, a
return stands in: what is on both sides of it isn't one word.
"""

import re
from bisect import bisect_right
from functools import cache

_ZERO_WIDTH = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
    "\U000e0000-\U000e01ef"
)
_STRING_BODY = r"[^\n\x07\x18\x1a\x1b\x9c]*+(?:\x07|\x1b\\|\x9c)?"
SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    rf"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]){_STRING_BODY}"
    r"|\x1b[ -/]*+[0-~]?"
)
"""One escape sequence; one that isn't finished too."""
STRING_STARTS = re.compile(r"\x1b[\]PX^_]|[\x90\x98\x9d-\x9f]")
"""Where a sequence begins that carries a text of its own: a title, a link, what goes to the clipboard."""
_SOME = re.compile(rf"[\x00\x07\x08\x1b\x90\x98\x9b\x9d-\x9f{_ZERO_WIDTH}]")
_STANDS_IN = {"move": "\r", "step": " ", "gone": ""}


@cache
def _any() -> re.Pattern[str]:
    """Compiled when a text first holds any of it: that takes milliseconds."""
    return re.compile(
        r"(?P<move>(?:\x1b\[|\x9b)[0-9;]*+[ABD-Hdf]|(?:\x1b\[|\x9b)[23]J|\x1b[DEMc])"
        r"|(?P<step>(?:\x1b\[|\x9b)[0-9]*+C)"
        rf"|(?P<gone>(?:(?!(?:\x1b\[|\x9b)[0-9;]*+[A-Hdf]|(?:\x1b\[|\x9b)[23]J|\x1b[DEMc])(?:{SEQUENCE.pattern})"
        rf"|[\x00\x07{_ZERO_WIDTH}]++|[^\r\n\x08\x1b]\x08)++)"
    )


class Plain:
    """The text without what isn't seen, and where each of its characters stands in the raw one."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.text = raw
        self._plain_at = [0]
        self._raw_at = [0]
        if _SOME.search(raw) is not None:
            self._leave_out()

    def _leave_out(self) -> None:
        raw, pieces, at, length = self.raw, [], 0, 0
        plain_at, raw_at = self._plain_at, self._raw_at
        for found in _any().finditer(raw):
            start, end = found.span()
            stands_in = _STANDS_IN[found.lastgroup or "gone"]
            pieces.append(raw[at:start])
            length += start - at
            if stands_in:
                pieces.append(stands_in)
                plain_at.append(length)
                raw_at.append(start)
                length += 1
            plain_at.append(length)
            raw_at.append(end)
            at = end
        pieces.append(raw[at:])
        self.text = "".join(pieces)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where characters ``start`` to ``end`` stand in the raw text, with what is unseen between them."""
        return self._raw(start), self._raw(end - 1) + 1

    def _raw(self, at: int) -> int:
        index = bisect_right(self._plain_at, at) - 1
        return self._raw_at[index] + at - self._plain_at[index]

    def plain(self, raw: int) -> int:
        """Which character of the plain text stands at, or first after, a place in the raw one."""
        index = bisect_right(self._raw_at, raw) - 1
        following = self._plain_at[index + 1] if index + 1 < len(self._plain_at) else len(self.text)
        return min(self._plain_at[index] + raw - self._raw_at[index], following)
