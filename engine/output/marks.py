"""Size and time marks of a job's output, by position."""

from array import array
from bisect import bisect_right

from engine.replay import Mark, SizeMark, TimeMark

_SPACING_SECONDS = 0.05


class Marks:
    """Which terminal size held from where on, and when the characters came (16 bytes a time mark)."""

    def __init__(self, cols: int, rows: int) -> None:
        self._sizes: list[SizeMark] = [SizeMark(0, cols, rows)]
        self._positions = array("Q")
        self._times = array("d")

    def add_time(self, position: int, at: float) -> None:
        """Output begins at ``position`` at wall-clock time ``at``; marks closer than 50 ms are one."""
        if not self._times or abs(at - self._times[-1]) >= _SPACING_SECONDS:
            self._positions.append(position)
            self._times.append(at)

    def add_size(self, position: int, cols: int, rows: int) -> None:
        """The terminal has this size from ``position`` on."""
        if self._sizes[-1].position == position:
            self._sizes.pop()
        self._sizes.append(SizeMark(position, cols, rows))

    def size_at(self, position: int) -> SizeMark:
        """The size that was in force when the character at ``position`` was written."""
        index = bisect_right(self._sizes, position, key=lambda mark: mark.position)
        return self._sizes[max(index - 1, 0)]

    def between(self, start: int, end: int) -> tuple[Mark, ...]:
        """Marks at ``start`` ≤ position < ``end``, by position, sizes first."""
        sizes: list[Mark] = [mark for mark in self._sizes if start <= mark.position < end]
        first, last = self._index_after(start - 1), self._index_after(end - 1)
        times = [TimeMark(self._positions[i], self._times[i]) for i in range(first, last)]
        return tuple(sorted([*sizes, *times], key=lambda mark: (mark.position, isinstance(mark, TimeMark))))

    def time_at(self, position: int) -> TimeMark | None:
        """The time mark that covers ``position``, moved there; None before the first."""
        index = self._index_after(position) - 1
        return TimeMark(position, self._times[index]) if index >= 0 else None

    @property
    def newest(self) -> float:
        """When output came last, to 50 ms (wall clock); 0 before the first."""
        return self._times[-1] if self._times else 0.0

    def drop_before(self, position: int) -> None:
        """Forget what no longer covers anything from ``position`` on."""
        index = self._index_after(position) - 1
        if index > 0:
            del self._positions[:index]
            del self._times[:index]
        covering = self.size_at(position)
        self._sizes = [mark for mark in self._sizes if mark.position >= covering.position]

    def _index_after(self, position: int) -> int:
        return bisect_right(self._positions, position) if position >= 0 else 0
