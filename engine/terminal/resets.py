"""Where a flood can be taken up: the newest point after which nothing before it matters for the picture."""

import re
from typing import Final

_RESETS: Final = re.compile(r"\x1bc|\x1b\[\?(?:1049|1047|47)[hl]|\x1b\[2J")


def newest_reset(text: str, alternate: bool = False) -> tuple[int, bool] | None:
    """The newest point of ``text`` that resets the picture, and whether the alternate screen is on there.

    That is RIS, the entry to the alternate screen, or an erase of the whole display while that is on;
    ``alternate`` says whether it is on where ``text`` begins. None when there is no such point. Modes that
    were set before it are not known from there on, so what is shown is approximate.
    """
    found: tuple[int, bool] | None = None
    reset: tuple[int, bool] | None = None
    for match in _RESETS.finditer(text):
        what = match[0]
        if what == "\x1bc":
            alternate = False
            found = reset = match.start(), False
        elif what[-1] == "J":
            if alternate:
                found = match.start(), True
        else:
            alternate = what[-1] == "h"
            # Back on the main screen only a full reset before it tells what is there.
            found = (match.start(), False) if alternate else reset
    return found
