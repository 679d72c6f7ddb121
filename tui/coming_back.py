"""Tabs that were open when the console was left: they come back as their jobs become known, in their order."""

from collections.abc import Sequence

from tui.memory import Remembered
from tui.store import JobStore, Slot


class ComingBack:
    """Which tabs are still waited for. Jobs may be taken over one by one, in any order, or not at all."""

    def __init__(self, remembered: Remembered) -> None:
        self._order = remembered.tabs
        self.waiting: list[str] = list(remembered.tabs)
        """Session ids whose jobs nobody has spoken of yet."""
        self.active = remembered.active
        self.in_pane = remembered.in_pane
        self._beside = remembered.beside
        self._places = remembered.places

    def slot(self, store: JobStore, session_id: str) -> Slot | None:
        """The slot of that job, or of a newer run of it; None while neither is known."""
        slot = store.job(session_id)
        if slot is not None:
            return slot
        place = store.get(self._places.get(session_id))
        return place if place is not None and place.job.has_run else None

    def known(self, store: JobStore) -> list[Slot]:
        """The slots of those that have become known since the last time."""
        slots = [(session_id, self.slot(store, session_id)) for session_id in self.waiting]
        found = [slot for _, slot in slots if slot is not None]
        self.waiting = [session_id for session_id, slot in slots if slot is None]
        return found

    def order(self, store: JobStore) -> list[str]:
        """The slots of all of them that are known, as the tabs stood."""
        return [slot.id for session_id in self._order if (slot := self.slot(store, session_id)) is not None]

    def beside(self, store: JobStore) -> list[str]:
        """The slots of those that were seen side by side, as far as they are known."""
        return [slot.id for session_id in self._beside if (slot := self.slot(store, session_id)) is not None]

    def with_waiting(self, tabs: Sequence[str]) -> tuple[str, ...]:
        """These open tabs, and those that may still come back, where they stood."""
        waiting = set(self.waiting) - set(tabs)
        kept = [session_id for session_id in self._order if session_id in waiting or session_id in tabs]
        return (*kept, *(session_id for session_id in tabs if session_id not in kept))

    def with_places(self, places: dict[str, str], tabs: Sequence[str]) -> dict[str, str]:
        """These places of open tabs, and those of tabs that may still come back."""
        return {session_id: place for session_id, place in (self._places | places).items() if session_id in tabs}
