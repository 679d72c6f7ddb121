"""The parser: whole control sequences by one expression, dispatched to the screen by pyte's names.

pyte's own parser is not used: an exception in a handler makes it lose the rest of the text, and it prints
what it doesn't know (DCS, APC, colons in SGR).
"""

import re
from codecs import getincrementaldecoder
from functools import lru_cache
from typing import Any

import pyte

_KEPT = 4096  # characters of an unfinished sequence: a string without end must not grow
_BODY = r"[\x00-\x17\x19\x1c-\x3f\x7f]*+"
_OSC = r"[^\x07\x18\x1a\x1b\x9c]*+"
_STRING = r"[^\x18\x1a\x1b\x9c]*+"
_END = r"\x1b\\|[\x18\x1a\x9c]|(?=\x1b[^\\])"
_TOKEN = re.compile(
    r"(?P<text>[^\x00-\x1f\x7f-\x9f]++)"
    r"|(?P<basic>[\x07-\x0f])"
    rf"|(?:\x1b\[|\x9b)(?:(?P<csi>{_BODY}[@-~])|(?P<csi_cut>{_BODY})\Z)"
    rf"|(?:\x1b\]|\x9d)(?:(?P<osc>{_OSC})(?:(?P<osc_end>\x07|\x9c|\x1b\\)|{_END})|(?P<osc_cut>{_OSC}\x1b?)\Z)"
    rf"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])(?:{_STRING}(?:{_END})|(?P<string_cut>{_STRING}\x1b?)\Z)"
    r"|\x1b(?:(?P<escape>[ -/]*+[0-Z\\^-~])|(?P<escape_cut>[ -/]*+)\Z)"
    r"|[\x00-\x1f\x7f-\x9f]"
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_CSI = re.compile(r"([<=>?]?)([0-9;:]*)([@-~])")
_PRIVATE_FINALS = "hlJK"
_MANY = "hlm"
"""Finals that take any number of parameters; H, f and r take two, all others one."""


class Stream(pyte.Stream):
    """Feeds text to a screen. Nothing that a program writes makes it raise."""

    _tail = ""

    def feed(self, data: str) -> None:
        """Take text, cut anywhere. A sequence that the screen can't do is skipped."""
        screen: Any = self.listener
        data, self._tail = self._tail + data, ""
        for token in _TOKEN.finditer(data):
            kind = token.lastgroup
            if kind is None:
                continue
            if kind.endswith("_cut"):
                cut = token[0]
                # The final ESC may be the first half of the terminator.
                self._tail = cut if len(cut) <= _KEPT else cut[: _KEPT - 1] + "\x1b" * cut.endswith("\x1b")
                continue
            try:
                if kind == "text":
                    screen.draw(token[0])
                elif kind == "basic":
                    getattr(screen, self.basic[token[0]])()
                elif kind == "csi":
                    self._control(screen, token[kind])
                elif kind == "osc_end":
                    _command(screen, token["osc"])
                elif kind == "escape":
                    self._escape(screen, token[kind])
            except Exception:  # noqa: BLE001 - pyte's handlers raise on what programs really write
                continue

    def _control(self, screen: Any, sequence: str) -> None:
        if not sequence.isprintable():
            for char in _CONTROLS.findall(sequence):  # a terminal obeys these in the midst of a sequence
                if char in self.basic:
                    getattr(screen, self.basic[char])()
            sequence = _CONTROLS.sub("", sequence)
        known = _parse(sequence)
        if known is None:
            return
        prefix, parameters, final = known
        name = self.csi.get(final)
        if name is None or (prefix and (prefix != "?" or final not in _PRIVATE_FINALS)):
            return
        if prefix:
            getattr(screen, name)(*parameters, private=True)
        else:
            getattr(screen, name)(*parameters)

    def _escape(self, screen: Any, sequence: str) -> None:
        if sequence[0] in "()" and len(sequence) == 2:
            screen.define_charset(sequence[1], mode=sequence[0])
        elif sequence[0] == "#" and sequence[1:] in self.sharp:
            getattr(screen, self.sharp[sequence[1:]])()
        elif sequence == "E":  # NEL, which pyte takes for LF
            screen.carriage_return()
            screen.index()
        elif sequence in self.escape:
            getattr(screen, self.escape[sequence])()


class ByteStream(Stream):
    """Feeds UTF-8, cut anywhere, to a screen."""

    def __init__(self, screen: Any = None) -> None:
        super().__init__(screen)
        self._decoder = getincrementaldecoder("utf-8")("replace")

    def feed(self, data: bytes) -> None:  # type: ignore[override]
        """Take bytes; what isn't UTF-8 becomes U+FFFD."""
        super().feed(self._decoder.decode(data))


@lru_cache(maxsize=4096)
def _parse(sequence: str) -> tuple[str, tuple[int | str, ...], str] | None:
    """Prefix, parameters and final; None if the sequence is one that no handler takes."""
    match = _CSI.fullmatch(sequence) if len(sequence) <= 1000 else None
    if match is None:
        return None
    prefix, body, final = match.groups()
    if ":" in body and final != "m":
        return None
    parts = body.split(";")
    if final not in _MANY:
        parts = parts[: 2 if final in "Hfr" else 1]
    return prefix, tuple(part if ":" in part else min(int(part or 0), 9999) for part in parts), final


def _command(screen: Any, payload: str) -> None:
    code, _, text = payload.partition(";")
    if code in ("0", "1"):
        screen.set_icon_name(text[:1000])
    if code in ("0", "2"):
        screen.set_title(text[:1000])
    if code == "8":
        target = text.partition(";")[2]
        screen.set_hyperlink(target if len(target) <= 3000 else "")
