"""The grammar of a terminal's stream, as regular expressions.

A token is a control sequence, a control or nothing, and the plain text after it. Groups: 1 parameters and
2 final of a CSI, 3 a control, 4 the text after either; 5 text alone; 6 characters of two columns; 7 a whole
sequence of another kind, or a character that needs a look; 8 the beginning of a sequence that the
data ends in.
What matches no group (a broken sequence) is dropped.
"""

import re
from typing import Final

from engine.terminal.widths import NARROW_RANGES, WIDE_RANGES, char_class

NARROW: Final = " -~" + char_class(NARROW_RANGES) + r"\xa0"
"""Inside of a character class: what takes one column and joins nothing."""
WIDE: Final = char_class(WIDE_RANGES)

_IN_CSI = r"[\x00-\x17\x19\x1c-\x3f\x7f]*+"
_OTHER = (
    r"\x1b\][^\x07\x18\x1a\x1b]*+(?:\x07|\x1b\\|[\x18\x1a]|(?=\x1b[^\\]))"  # OSC, or cut off by another ESC
    r"|\x1b[PX^_][^\x18\x1a\x1b]*+(?:\x1b\\|[\x18\x1a]|(?=\x1b[^\\]))"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*+[\x18\x1a]|\x1b[ -/]++[0-~]|\x1b[0-OQ-WYZ\\`-~]"  # other escape sequences
    rf"|\x1b\[{_IN_CSI}[@-~]"  # CSI with controls within, or out of order
    rf"|\x1b\[{_IN_CSI}[\x18\x1a]"  # CSI called off
    rf"|\x1b\[{_IN_CSI}(?=[\s\S])"  # CSI broken off
    r"|[^\x1b]"
)
_TAIL = rf"\x1b(?:\[{_IN_CSI}|\][^\x07\x18\x1a\x1b]*+\x1b?|[PX^_][^\x18\x1a\x1b]*+\x1b?|[ -/]*+)?\Z"


def _tokens(text: str, wide: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?:\x1b\[([0-?]*+[ -/]*+)([@-~])|(\r\n|[\x07-\x0f]))([{text}]*+)"
        rf"|([{text}]++)|({wide})|({_OTHER})|({_TAIL})|\x1b(?:\[{_IN_CSI})?"
    )


ASCII_TOKENS: Final = _tokens(" -~", r"(?!)")
UNICODE_TOKENS: Final = _tokens(NARROW, f"[{WIDE}]++")

STRING_END: Final = re.compile(r"[\x07\x18\x1a\x1b]")
"""What may end an OSC; other strings end by the same but the bell."""
CSI: Final = re.compile(r"([<-?]*)([0-9;:]*)([ -/]*)")
"""What stands between the introducer and the final of a well-formed CSI."""
IN_CSI_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f]")

C1: Final = re.compile("[\x80-\x9f]")
C1_SEQUENCES: Final = {code: "\x1b" + chr(code - 0x40) for code in range(0x80, 0xA0)}
"""Eight-bit controls as the escape sequences that they stand for."""
