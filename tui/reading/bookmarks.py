"""The lines of a pane that somebody has marked: by their number in the whole output, and by their text."""

from bisect import bisect_right

from engine.terminal import LogicalLines
from tui.reading.outward import outward

_TEXT = 200
"""Characters by which a line is known again."""
_ASTRAY = 200
"""So many lines off at most a number may be, after a terminal has begun with a base."""


class Bookmarks:
    """One job's; they stay when its pane is closed. Numbers are those of the output's lines, from 0."""

    def __init__(self) -> None:
        self._marks: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._marks)

    def __contains__(self, line: int) -> bool:
        return line in self._marks

    @property
    def lines(self) -> list[int]:
        """The marked lines, in order."""
        return sorted(self._marks)

    def text(self, line: int) -> str:
        """How a marked line begins."""
        return self._marks[line]

    def toggle(self, line: int, text: str) -> bool:
        """Mark a line, or take its mark away. True: it is marked now."""
        if line in self._marks:
            del self._marks[line]
            return False
        self._marks[line] = text[:_TEXT]
        return True

    def clear(self) -> None:
        """Mark nothing: another job's output comes."""
        self._marks.clear()

    def after(self, line: int) -> int | None:
        """The next marked line after this one; from the last on the first. None: there is none."""
        lines = self.lines
        return lines[bisect_right(lines, line) % len(lines)] if lines else None

    def drop_before(self, line: int) -> None:
        """Lines before this one are no longer kept."""
        for gone in [mark for mark in self._marks if mark < line]:
            del self._marks[gone]

    def find_again(self, lines: LogicalLines, gone: int) -> None:
        """A terminal has started afresh, with ``gone`` lines before its first: find the lines by their text."""
        found: dict[int, str] = {}
        for mark, text in self._marks.items():
            guess = mark - gone
            first, end = max(lines.first, guess - _ASTRAY), min(lines.end, guess + _ASTRAY)
            at = next((n for n in outward(guess, first, end) if lines.text(n)[:_TEXT] == text), guess)
            found[at + gone] = text
        self._marks = found
