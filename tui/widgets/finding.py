"""From a line of a job's output to its rows in the pane: by its number, then by its text."""

from enum import Enum

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
    starts = logical_lines(emulator)
    oldest = emulator.lines_gone + emulator.screen.scrollback.dropped_lines
    guess = line - oldest
    wanted = _plain(text)
    for at in _outward(guess, len(starts)):
        end = starts[at + 1] if at + 1 < len(starts) else emulator.end
        if wanted and wanted in _plain(logical_text(emulator, starts[at], end)):
            return range(starts[at], end)
    return Lost.GONE if guess < 0 else Lost.ELSEWHERE


def logical_lines(emulator: Emulator) -> list[int]:
    """The first row of each line that is kept: wrapped rows belong to the one before."""
    rows = range(emulator.first, emulator.end)
    return [row for row in rows if row == emulator.first or not emulator.wrapped(row - 1)]


def logical_text(emulator: Emulator, first: int, end: int) -> str:
    """A line's text over its rows, none cut."""
    return joined([emulator.text(row) for row in range(first, end)], emulator.screen.columns)


def joined(rows: list[str], width: int) -> str:
    """A line's text out of its rows', whose trailing blanks are gone."""
    return "".join([*(row.ljust(width) for row in rows[:-1]), *rows[-1:]])


def _plain(text: str) -> str:
    # Tabs and the blanks that a wide character left at a row's end are not what a line is told apart by.
    return "".join(text.split())


def _outward(guess: int, many: int) -> list[int]:
    if not many:
        return []
    middle = max(0, min(guess, many - 1))
    order = [middle]
    for by in range(1, many):
        if middle - by >= 0:
            order.append(middle - by)
        if middle + by < many:
            order.append(middle + by)
    return order
