"""Rows that left the top of the screen, by absolute number."""

from collections import deque

from engine.terminal.pen import Run


class Scrollback:
    """The newest ``limit`` rows that scrolled off; numbers count from the first row that ever did."""

    def __init__(self, limit: int) -> None:
        self._rows: deque[tuple[tuple[Run, ...], bool]] = deque(maxlen=max(0, limit))
        self.total = 0
        """Rows that ever left the screen: the number of the next one."""

    @property
    def first(self) -> int:
        """The number of the oldest row that is still kept; equals ``total`` when none is."""
        return self.total - len(self._rows)

    def append(self, runs: list[Run], wrapped: bool) -> None:
        """Keep a row; ``wrapped`` if it goes on in the next one."""
        self._rows.append((tuple(runs), wrapped))
        self.total += 1

    def clear(self) -> None:
        """Forget the rows, not their numbers."""
        self._rows.clear()

    def runs(self, number: int) -> list[Run]:
        """Row ``number``; IndexError if it isn't kept."""
        return list(self._row(number)[0])

    def text(self, number: int) -> str:
        """Row ``number`` without its colours; IndexError if it isn't kept."""
        return "".join(text for text, _ in self._row(number)[0])

    def wrapped(self, number: int) -> bool:
        """True if row ``number`` goes on in the next one; IndexError if it isn't kept."""
        return self._row(number)[1]

    def _row(self, number: int) -> tuple[tuple[Run, ...], bool]:
        if not self.first <= number < self.total:
            raise IndexError(f"row {number} isn't kept: {self.first} to {self.total - 1} are")
        return self._rows[number - self.first]
