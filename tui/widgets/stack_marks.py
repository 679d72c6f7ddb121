"""Which jobs of the stack are marked."""

from collections.abc import Iterable


class StackMarks:
    """By their slots. What the filter hides stays marked, and isn't acted upon."""

    def __init__(self) -> None:
        self._slots: set[str] = set()

    def __contains__(self, slot_id: str) -> bool:
        return slot_id in self._slots

    def __len__(self) -> int:
        return len(self._slots)

    def among(self, shown: Iterable[str]) -> list[str]:
        """Those that are shown, in their order."""
        return [slot_id for slot_id in shown if slot_id in self._slots] if self._slots else []

    def toggle(self, slot_id: str) -> None:
        """Mark this job, or mark it no more."""
        self._slots ^= {slot_id}

    def toggle_all(self, shown: Iterable[str]) -> None:
        """Mark all that are shown; when they all are, none of them."""
        wanted = set(shown)
        self._slots = self._slots - wanted if wanted <= self._slots else self._slots | wanted

    def keep(self, there: Iterable[str]) -> None:
        """There are no others any more."""
        if self._slots:
            self._slots &= set(there)

    def clear(self) -> None:
        """Mark none."""
        self._slots.clear()
