"""When a pane's lines came: from the times at which output began, to its lines."""

from array import array
from bisect import bisect_left, bisect_right

_KEPT = 20_000
"""Times kept before those of lines that are gone are looked for."""


class Arrivals:
    """From which line on which time holds. A line that is written anew has come anew, and what is below it too."""

    def __init__(self) -> None:
        self._lines = array("q")
        self._times = array("d")

    def add(self, line: int, at: float) -> None:
        """Lines from this one on came at this wall-clock time."""
        keep = bisect_left(self._lines, line)
        del self._lines[keep:], self._times[keep:]
        self._lines.append(line)
        self._times.append(at)

    def at(self, line: int) -> float | None:
        """When a line came, in seconds since the epoch; None where that isn't known."""
        place = bisect_right(self._lines, line) - 1
        return self._times[place] if place >= 0 else None

    def drop_before(self, line: int) -> None:
        """Lines before this one are gone."""
        if len(self._lines) > _KEPT:
            gone = bisect_right(self._lines, line) - 1
            if gone > 0:
                del self._lines[:gone], self._times[:gone]
