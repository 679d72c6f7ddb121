"""A paste, as a terminal passes it on."""

import re

from engine.process.pasting import bracketed

_LINE_END = re.compile("\r\n|\n")


def pasted(text: str, *, marked: bool) -> str:
    """What the program reads: each line ends as by Enter, the whole is marked as a paste if that is asked for."""
    text = _LINE_END.sub("\r", text)
    return bracketed(text) if marked else text
