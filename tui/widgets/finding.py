"""From a line of a job's output to its rows in the pane: by its number, then by its text."""

from enum import Enum

from tui.reading.outward import outward
from tui.widgets.emulator import Emulator


class Lost(Enum):
    """Why a line isn't there."""

    GONE = "gone"
    """It came before the oldest line that is kept."""
    ELSEWHERE = "elsewhere"
    """It was overwritten, cleared or drawn over."""


def find_line(emulator: Emulator, line: int, text: str) -> range | Lost:
    """The rows of the logical line that contains ``text`` and is nearest to the ``line``-th of the output.

    The number alone would do for plain logs; programs that move the cursor, and terminals whose beginning is no longer
    kept, make it a guess.

    Args:
        emulator: The pane's.
        line: Counted by line feeds, from 0.
        text: What the line contains, without control sequences.
    """
    lines = emulator.lines
    guess = line - emulator.lines_gone
    wanted = _plain(text)
    for number in outward(guess, lines.first, lines.end):
        if wanted and wanted in _plain(lines.text(number)):
            return lines.rows(number)
    return Lost.GONE if guess < lines.first else Lost.ELSEWHERE


def joined(rows: list[str], width: int) -> str:
    """A line's text out of its rows', whose trailing blanks are gone."""
    return "".join([*(row.ljust(width) for row in rows[:-1]), *rows[-1:]])


def _plain(text: str) -> str:
    # Tabs and the blanks that a wide character left at a row's end are not what a line is told apart by.
    return "".join(text.split())
