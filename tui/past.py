"""What something used in the last minutes, look by look: so many looks and no more."""

from array import array

LOOKS = 150
"""Kept; at one in two seconds they are five minutes."""


class Past:
    """Shares of processors and bytes of memory, oldest first; a new look pushes the oldest out."""

    __slots__ = ("_cpu", "_rss")

    def __init__(self) -> None:
        self._cpu = array("f")
        self._rss = array("d")

    def __len__(self) -> int:
        return len(self._rss)

    def add(self, cpu: float | None, rss: int) -> None:
        """One look; the first of a job tells no share."""
        self._cpu.append(cpu or 0.0)
        self._rss.append(rss)
        del self._cpu[:-LOOKS], self._rss[:-LOOKS]

    @property
    def cpu(self) -> list[float]:
        """Of one processor."""
        return self._cpu.tolist()

    @property
    def rss(self) -> list[float]:
        """Bytes."""
        return self._rss.tolist()
