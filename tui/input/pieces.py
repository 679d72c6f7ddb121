"""The host terminal's input, cut into keys, pastes and reports, with nothing of them lost."""

import re
from enum import Enum
from typing import NamedTuple


class Kind(Enum):
    """What a piece of input is."""

    KEY = 1
    """One key, as the terminal sent it."""
    PASTE = 2
    """A whole paste, without the marks around it."""
    REPORT = 3
    """What the terminal says of itself: the mouse, its focus, its size, answers to questions."""


class Piece(NamedTuple):
    """One piece, in the order it came."""

    kind: Kind
    text: str


PASTE_START, PASTE_END = "\x1b[200~", "\x1b[201~"
_LONGEST = 64
"""Characters of a sequence at most; what is longer is none."""

_WHOLE = re.compile(
    r"\x1b(?:"
    r"\[(?P<console>\[[A-E])"  # F1 to F5 of the Linux console
    r"|\[(?P<old_mouse>M[^\x1b]{3})"
    r"|\[(?P<control>[0-?]{0,60}[ -/]{0,4}[@-LN-Z\\-~]|[0-?]{1,60}M)"
    r"|O(?P<shift3>[0-9;]{0,4}[ @-~])"
    r"|(?P<meta>[^\x1b\[O])"
    r")|[^\x1b]",
    re.DOTALL,
)
_BEGUN = re.compile(r"\x1b(?:\[(?:\[|M[^\x1b]{0,2}|[0-?]{0,60}[ -/]{0,4})?|O[0-9;]{0,4})?\Z", re.DOTALL)
_REPORT = re.compile(
    r"<[\d;:-]*[Mm]|[\d;-]+M|M...|[IO]"  # the mouse in three ways, the focus
    r"|[?>=<].*|[\d;:]*t|[\d;]*[cny]"  # answers
    r"|(?!1;(?:[2-9]|1[0-6])R)\d+;\d+R",  # where the cursor is, unless it's F3 with modifiers
    re.DOTALL,
)


class Cutter:
    """Takes input as it is read, however the reads cut it."""

    def __init__(self) -> None:
        self._left = ""
        self._paste: list[str] | None = None

    @property
    def begun(self) -> bool:
        """Does a sequence wait for its rest, which may never come? Then it was Esc, or a key with Alt."""
        return self._paste is None and bool(self._left)

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are whole now."""
        text, self._left = self._left + text, ""
        pieces: list[Piece] = []
        at = 0
        while at < len(text):
            if self._paste is not None:
                at = self._take_paste(text, at, pieces)
                continue
            found = _WHOLE.match(text, at)
            if found is None:
                if _BEGUN.match(text, at) and len(text) - at <= _LONGEST:
                    self._left = text[at:]
                    break
                size = 2 if text[at + 1 : at + 2] in ("[", "O") else 1
                pieces.append(Piece(Kind.KEY, text[at : at + size]))
                at += size
                continue
            at = found.end()
            if found[0] == PASTE_START:
                self._paste = []
            elif found[0] != PASTE_END:
                pieces.append(Piece(_kind(found), found[0]))
        return pieces

    def give_up(self) -> list[Piece]:
        """Nothing more comes: what has begun is a key as it is."""
        left, self._left = self._left, ""
        return [Piece(Kind.KEY, left)] if left else []

    def _take_paste(self, text: str, at: int, pieces: list[Piece]) -> int:
        assert self._paste is not None
        end = text.find(PASTE_END, at)
        if end >= 0:
            pieces.append(Piece(Kind.PASTE, "".join(self._paste) + text[at:end]))
            self._paste = None
            return end + len(PASTE_END)
        # The end may have come in part.
        kept = next((size for size in range(len(PASTE_END) - 1, 0, -1) if text.endswith(PASTE_END[:size], at)), 0)
        self._paste.append(text[at : len(text) - kept])
        self._left = text[len(text) - kept :]
        return len(text)


def _kind(found: re.Match[str]) -> Kind:
    body = found["old_mouse"] or found["control"]
    return Kind.REPORT if body and _REPORT.fullmatch(body) else Kind.KEY
