"""The modes and the pen that a terminal's output has left in force, followed without emulating it."""

import re
from copy import copy
from typing import Self

from engine.output.sgr import assignments

_KEPT = 4096  # characters of an unfinished sequence: a string without end must not grow
_TITLE = 1000
_LINK = 3000
_CSI_BODY = r"[\x00-\x17\x19\x1c-\x3f\x7f]*+"
_OSC_BODY = r"[^\x07\x18\x1a\x1b]*+"
_STRING_BODY = r"[^\x18\x1a\x1b]*+"
_CUT_OFF = r"[\x18\x1a]|(?=\x1b[^\\])"
# Most sequences of a log are SGR and moves that leave no mode behind: they are passed over in C, and the pen
# is found afterwards from the SGRs alone.
_SEQUENCE = (
    r"\x1b(?!\[[0-9;:]*+[@-gi-km-qtv-~])(?:"
    rf"\[(?P<body>{_CSI_BODY})(?P<final>[@-~])"
    rf"|\](?P<command>{_OSC_BODY})(?:(?P<end>\x07|\x1b\\)|{_CUT_OFF})"
    rf"|[PX^_]{_STRING_BODY}(?:\x1b\\|{_CUT_OFF})"
    rf"|(?P<tail>(?:\[{_CSI_BODY}|\]{_OSC_BODY}\x1b?|[PX^_]{_STRING_BODY}\x1b?|[ -/]*+)\Z)"
    r"|(?P<escape>[ -/]*+[0-Z\\^-~])"
    r")?"
)
_NOTABLE = re.compile(_SEQUENCE)
_NOTABLE_OR_SHIFT = re.compile(rf"[\x07\x0e\x0f]|{_SEQUENCE}")
_SGR = re.compile(r"\x1b\[([0-9;:]*)m")
_TRUE_COLOUR = re.compile(r"\A([34]8;2);\d+;\d+;\d+\Z")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_C1 = re.compile(r"[\x90\x98\x9b-\x9f]")
_C1_LONG = {code: f"\x1b{chr(code - 0x40)}" for code in (0x90, 0x98, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F)}

_PRIVATE = {
    1: False, 5: False, 6: False, 7: True, 25: True,
    1004: False, 1005: False, 1006: False, 1007: True, 1015: False, 2004: False,
}  # fmt: skip
"""The private modes that are followed, with the value each has in a fresh terminal."""
_MOUSE = (9, 1000, 1002, 1003)
_ALTERNATE = (47, 1047, 1049)

_Pen = dict[str, str]
_Cursor = tuple[_Pen, tuple[str, str], bool]
"""What DECSC saves, apart from the position: pen, designations of G0 and G1, and whether G1 is shifted in."""
_FRESH: _Cursor = ({}, ("B", "B"), False)


class ModeScan:
    """Follows output cut anywhere. Text without control sequences costs next to nothing."""

    def __init__(self) -> None:
        self.bells = 0
        """BEL characters so far, without those that end an OSC string."""
        self._tail = ""
        self._reset()

    def _reset(self) -> None:
        self.title = ""
        """The title set by OSC 0 or 2, at most 1,000 characters."""
        self._link = ""
        self._screen = 0  # the number of the mode that chose the alternate screen
        self._mouse = 0
        self._saved: dict[bool, _Cursor] = {}
        self._soft_reset()

    def _soft_reset(self) -> None:
        self._pen: _Pen = {}
        self._charsets, self._shifted = _FRESH[1:]
        self._margins = ""
        self._modes: dict[int, bool] = {}
        self._insert = self._newline = self._keypad = False
        self._mouse = 0
        self._saved.pop(self.alternate, None)

    @property
    def alternate(self) -> bool:
        """True while a full-screen program shows the alternate screen."""
        return self._screen != 0

    @property
    def bracketed_paste(self) -> bool:
        """True while the program asks for pasted text to be marked (mode 2004)."""
        return self._modes.get(2004, False)

    def copy(self) -> Self:
        """An independent scan that goes on from here."""
        twin = copy(self)
        twin._pen, twin._modes, twin._saved = self._pen.copy(), self._modes.copy(), self._saved.copy()
        return twin

    def feed(self, text: str) -> None:
        """Take the next characters of the output."""
        if not text.isascii() and _C1.search(text):
            text = text.translate(_C1_LONG)
        text, self._tail = self._tail + text, ""
        shifts = "\x07" in text or "\x0e" in text or "\x0f" in text
        if not shifts and "\x1b" not in text:
            return
        painted = 0  # up to here the pen is known
        for found in (_NOTABLE_OR_SHIFT if shifts else _NOTABLE).finditer(text):
            kind = found.lastgroup
            if kind == "final":
                if found[kind] in "mhlprsu":
                    self._paint(text, painted, found.start())
                    painted = found.end()
                self._control(found["body"], found[kind])
            elif kind == "escape":
                self._paint(text, painted, found.start())
                painted = found.end()
                self._escape(found[kind])
            elif kind == "end":
                self._command(found["command"])
            elif kind == "tail":
                tail = found[0]
                # The final ESC may be the first half of the terminator.
                self._tail = tail if len(tail) <= _KEPT else tail[: _KEPT - 1] + "\x1b" * tail.endswith("\x1b")
            elif found[0] == "\x07":
                self.bells += 1
            elif found[0] in ("\x0e", "\x0f"):
                self._shifted = found[0] == "\x0e"
        self._paint(text, painted, len(text))

    def prelude(self) -> str:
        """The control sequences that bring a fresh terminal to where this one is; empty if it is fresh."""
        out = []
        state = _FRESH
        if False in self._saved:
            out.append(_change(state, self._saved[False]) + ("" if self._screen == 1049 else "\x1b7"))
            state = self._saved[False]
        if self._screen:
            out.append(f"\x1b[?{self._screen}h")
        if True in self._saved:
            out.append(_change(state, self._saved[True]) + "\x1b7")
            state = self._saved[True]
        if self._margins:
            out.append(f"\x1b[{self._margins}r")
        out += [f"\x1b[?{mode}{'h' if on else 'l'}" for mode, on in sorted(self._modes.items())]
        if self._mouse:
            out.append(f"\x1b[?{self._mouse}h")
        out += ["\x1b[4h"] * self._insert + ["\x1b[20h"] * self._newline + ["\x1b="] * self._keypad
        out.append(_change(state, (self._pen, self._charsets, self._shifted)))
        if self._link:
            out.append(f"\x1b]{self._link}\x1b\\")
        if self.title:
            out.append(f"\x1b]2;{self.title}\x1b\\")
        return "".join(out)

    def _paint(self, text: str, start: int, end: int) -> None:
        """Apply the SGRs of a stretch that has no other sequence that touches the pen."""
        if start >= end:
            return
        reset = max(text.rfind("\x1b[m", start, end), text.rfind("\x1b[0m", start, end))
        # An SGR assigns constants: of equal ones only the last counts.
        sgrs = _SGR.findall(text, max(reset, start), end)
        newest = dict.fromkeys(reversed(sgrs))
        if len(newest) > 100:  # and of SGRs that only set a true colour
            last: dict[str, str] = {}
            for sgr in newest:
                last.setdefault(_TRUE_COLOUR.sub(r"\1", sgr), sgr)
            newest = dict.fromkeys(last.values())
        for parameters in reversed(newest):
            self._sgr(parameters)

    def _sgr(self, parameters: str) -> None:
        pen = self._pen
        for field, value in assignments(parameters):
            if not field:
                pen.clear()
            elif value:
                pen[field] = value
            else:
                pen.pop(field, None)

    def _control(self, body: str, final: str) -> None:
        if not body.isprintable():
            for char in _CONTROLS.findall(body) if len(body) < 256 else ():
                self.bells += char == "\x07"
                self._shifted = {"\x0e": True, "\x0f": False}.get(char, self._shifted)
            body = _CONTROLS.sub("", body)
        if len(body) >= 256:  # longer ones may have been cut short in the tail
            return
        private = body.startswith("?")
        if final in "hl" and (private or body[:1].isdigit()):
            for number in body.removeprefix("?").split(";"):
                if number.isdecimal():
                    self._switch(int(number), final == "h", private)
        elif final == "m":
            if not body.strip("0123456789;:"):
                self._sgr(body)
        elif final == "p" and body == "!":
            self._soft_reset()
        elif final == "r" and not body.strip("0123456789;"):
            self._region(body)
        elif final == "s" and not body:
            self._save()
        elif final == "u" and not body:
            self._restore()

    def _switch(self, mode: int, on: bool, private: bool) -> None:
        if not private:
            if mode == 4:
                self._insert = on
            elif mode == 20:
                self._newline = on
        elif mode in _PRIVATE:
            self._modes.pop(mode, None)
            if on != _PRIVATE[mode]:
                self._modes[mode] = on
        elif mode in _MOUSE:
            self._mouse = mode if on else 0
        elif mode == 66:
            self._keypad = on
        elif mode == 1048:
            self._save() if on else self._restore()
        elif mode in _ALTERNATE and on != self.alternate:
            if on and mode == 1049:
                self._save()
            self._saved.pop(True, None)
            self._screen = mode if on else 0
            if not on and mode == 1049:
                self._restore()

    def _region(self, body: str) -> None:
        numbers = [int(part or 0) for part in body.split(";")][:2]
        top, bottom = (*numbers, 0)[:2]
        if bottom and max(top, 1) >= bottom:
            return  # no terminal takes it
        self._margins = f"{max(top, 1)};{bottom or ''}" if bottom or top > 1 else ""

    def _escape(self, sequence: str) -> None:
        if sequence == "c":
            self._reset()
        elif sequence == "7":
            self._save()
        elif sequence == "8":
            self._restore()
        elif sequence in ("=", ">"):
            self._keypad = sequence == "="
        elif sequence[0] == "(" and len(sequence) == 2:
            self._charsets = (sequence[1], self._charsets[1])
        elif sequence[0] == ")" and len(sequence) == 2:
            self._charsets = (self._charsets[0], sequence[1])

    def _command(self, payload: str) -> None:
        code, _, text = payload[: _LINK + 1].partition(";")
        if code in ("0", "2"):
            self.title = text[:_TITLE]
        elif code == "8":
            target = text.partition(";")[2]
            self._link = payload if target and len(payload) <= _LINK else ""

    def _save(self) -> None:
        self._saved[self.alternate] = (self._pen.copy(), self._charsets, self._shifted)

    def _restore(self) -> None:
        pen, self._charsets, self._shifted = self._saved.get(self.alternate, _FRESH)
        self._pen = pen.copy()


def _change(before: _Cursor, after: _Cursor) -> str:
    """The sequences from one pen and choice of characters to another."""
    out = []
    if before[1] != after[1]:
        out.append("\x1b({}\x1b){}".format(*after[1]))
    if before[2] != after[2]:
        out.append("\x0e" if after[2] else "\x0f")
    if before[0] != after[0]:
        plain = ["0", *(value for value in after[0].values() if ":" not in value)]
        out.append(f"\x1b[{';'.join(plain)}m")
        # A group with colons travels alone: what doesn't know it must not lose the rest.
        out += [f"\x1b[{value}m" for value in after[0].values() if ":" in value]
    return "".join(out)
