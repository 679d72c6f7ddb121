"""What is searched for in a pane, compiled: every match in a line, in time that grows with the line alone."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from engine.terminal import Line
from engine.terminal.lines import cells_of

Span: TypeAlias = tuple[int, int]
"""The cells of a match in its line: from where to before where."""
LONGEST = 1_000
_WORDS = {
    "missing )": "a ( is never closed",
    "missing ]": "a [ is never closed",
    "unexpected )": "there is a ) without its (",
    "no argument for repetition operator": "nothing stands before what repeats it",
    "bad repetition operator": "repeated twice over",
    "invalid perl operator": "look-around is not known here",
    "invalid repetition size": "repeated too often, 1,000 is the most",
    "invalid escape sequence": "not an escape (no back references)",
    "invalid character class range": "a range from back to front",
    "trailing \\": "a \\ at the end",
}
"""What google-re2 says, in words."""


class Wanted(NamedTuple):
    """What is typed, and how it is meant."""

    text: str = ""
    regex: bool = False
    case: bool = False
    """Upper and lower case differ."""


class Wrong(Exception):
    """It can't be searched for; the text says why."""


Finds: TypeAlias = Callable[[Line], list[Span]]


def compile_wanted(wanted: Wanted) -> Finds:
    """Finds all matches in a line.

    Raises:
        Wrong: It is no expression.
    """
    import re2

    if len(wanted.text) > LONGEST:
        raise Wrong(f"too long, {LONGEST:,} characters are the most")
    options = re2.Options()
    options.never_nl = True
    options.never_capture = True
    options.log_errors = False
    options.case_sensitive = wanted.case
    options.literal = not wanted.regex
    try:
        program = re2.compile(wanted.text.encode(errors="replace"), options)
    except re2.error as error:
        raise Wrong(_in_words(error.args[0])) from error
    finditer = program.finditer

    def finds(line: Line) -> list[Span]:
        cells = cells_of(line)
        text = cells if isinstance(cells, str) else "".join(cells)
        data = text.encode(errors="replace")
        spans = [found.span() for found in finditer(data)]
        if not spans:
            return spans
        if len(data) != len(text):
            spans = [(len(data[:a].decode()), len(data[:b].decode())) for a, b in spans]
        if not isinstance(cells, str):
            spans = in_cells(cells, spans)
        return [span for span in spans if span[0] < span[1]]

    return finds


def in_cells(cells: tuple[str, ...], spans: list[Span]) -> list[Span]:
    """From characters to the cells that they stand in; clusters and wide characters count whole."""
    starts: list[int] = []
    for cell, text in enumerate(cells):
        starts += [cell] * len(text)
    starts.append(len(cells))
    out = []
    for a, b in spans:
        end = starts[b]
        if b < len(starts) - 1 and b > a and starts[b - 1] == end:
            end += 1  # it ends within a cluster
        while end < len(cells) and cells[end] == "":
            end += 1
        out.append((starts[a], end))
    return out


def _in_words(said: bytes | str) -> str:
    text = said.decode(errors="replace") if isinstance(said, bytes) else said
    what, _, where = text.partition(": ")
    words = next((words for begin, words in _WORDS.items() if what.startswith(begin)), what)
    return f"{words}: {where}" if where and what not in ("missing )", "missing ]", "unexpected )") else words
