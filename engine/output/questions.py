"""The questions of a program to its terminal: those without state are answered here, the others are noticed."""

import re

_KEPT = 4096  # characters of an unfinished sequence: a string without end must not grow
_BODY = r"[\x00-\x17\x19\x1c-\x3f\x7f]*+"
_OSC = r"[^\x07\x18\x1a\x1b]*+"
_STRING = r"[^\x18\x1a\x1b]*+"
_CUT_OFF = r"\x1b\\|[\x18\x1a]|(?=\x1b[^\\])"
# Sequences that can't be questions are passed over in C; strings are taken whole, so that nothing in them counts.
_NOTABLE = re.compile(
    r"\x1b(?!\[[0-9;:]*+[@-bd-mo-su-~])(?:"
    rf"\[(?P<body>{_BODY})(?P<final>[@-~])"
    rf"|\]{_OSC}(?:\x07|{_CUT_OFF})"
    rf"|[PX^_]{_STRING}(?:{_CUT_OFF})"
    rf"|(?P<tail>(?:\[{_BODY}|\]{_OSC}\x1b?|[PX^_]{_STRING}\x1b?)?\Z)"
    r")?"
)
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_C1 = re.compile(r"[\x90\x98\x9b-\x9f]")
_C1_LONG = {code: f"\x1b{chr(code - 0x40)}" for code in (0x90, 0x98, 0x9B, 0x9C, 0x9D, 0x9E, 0x9F)}
_ANSWERS = {
    "5n": "\x1b[0n",
    "c": "\x1b[?62;22c",
    "0c": "\x1b[?62;22c",
    ">c": "\x1b[>1;10;0c",
    ">0c": "\x1b[>1;10;0c",
    "18t": "\x1b[8;{rows};{cols}t",
}
_NEEDS_SCREEN = re.compile(r"\??6n|\??[0-9]*\$p|=c|>q|>0q|1[4569]t|\?u|[01]?x")
_NEEDS_SCREEN_STRING = re.compile(r"\x1b\](?:1[012]|4)[;0-9]*;\?|\x1bP\$q")
"""The cursor's place, modes, sizes, settings and colours in force."""


class Responder:
    """Finds the questions in a job's output, cut anywhere, and says what the terminal would."""

    def __init__(self) -> None:
        self._tail = ""
        self.needs_screen = False
        """Something in the last text needs a screen to be answered; what ``feed`` answered then is part of it."""

    def feed(self, text: str, cols: int, rows: int) -> str:
        """Take the next characters of the output; the answers to type, empty if nothing was asked.

        ``cols`` and ``rows`` are the terminal's size now.
        """
        self.needs_screen = False
        if not text.isascii() and _C1.search(text):
            text = text.translate(_C1_LONG)
        if not self._tail and "\x1b" not in text:
            return ""
        text, self._tail = self._tail + text, ""
        answers = []
        for found in _NOTABLE.finditer(text):
            if found.lastgroup == "final":
                question = found["body"] + found["final"]
                if not question.isprintable():
                    question = _CONTROLS.sub("", question)
                if question in _ANSWERS:
                    answers.append(_ANSWERS[question].format(rows=rows, cols=cols))
                elif _NEEDS_SCREEN.fullmatch(question):
                    self.needs_screen = True
            elif found.lastgroup == "tail":
                tail = found[0]
                # The final ESC may be the first half of the terminator.
                self._tail = tail if len(tail) <= _KEPT else tail[: _KEPT - 1] + "\x1b" * tail.endswith("\x1b")
            elif _NEEDS_SCREEN_STRING.match(found[0]):
                self.needs_screen = True
        return "".join(answers)
