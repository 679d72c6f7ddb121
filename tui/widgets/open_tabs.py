"""Which tabs are open, in which order, and which were closed last."""

from collections.abc import Callable, Iterator, Sequence

from tui.store import Slot
from tui.widgets.pane import Pane


class OpenTabs:
    """The panes by their slots, from the left."""

    def __init__(self) -> None:
        self._panes: dict[str, Pane] = {}
        self._slots: dict[str, Slot] = {}
        """A job may leave the shelf while somebody still reads what it wrote."""
        self._closed: list[str] = []

    def __contains__(self, slot_id: object) -> bool:
        return slot_id in self._panes

    def __iter__(self) -> Iterator[Pane]:
        return iter(self._panes.values())

    def __getitem__(self, slot_id: str) -> Pane:
        return self._panes[slot_id]

    def get(self, slot_id: str | None) -> Pane | None:
        """A slot's pane, if its tab is open."""
        return self._panes.get(slot_id) if slot_id is not None else None

    @property
    def order(self) -> tuple[str, ...]:
        """The slots, from the left."""
        return tuple(self._panes)

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The same with what is known of their jobs."""
        return tuple(self._slots.values())

    def add(self, slot: Slot, pane: Pane) -> None:
        """Open one more, at the right."""
        self._panes[slot.id], self._slots[slot.id] = pane, slot

    def remove(self, slot_id: str) -> None:
        """Close one; it is the one closed last."""
        del self._panes[slot_id], self._slots[slot_id]
        self._closed = [*(name for name in self._closed if name != slot_id), slot_id]

    def renew(self, get: Callable[[str], Slot | None]) -> Iterator[tuple[Slot, Pane]]:
        """Each with what is known of its job now; what is gone stays as it was."""
        for slot_id, pane in self._panes.items():
            slot = self._slots[slot_id] = get(slot_id) or self._slots[slot_id]
            yield slot, pane

    def reorder(self, order: Sequence[str]) -> None:
        """Have these first, in this order, the others after them as they are."""
        first = [name for name in order if name in self._panes]
        names = [*first, *(name for name in self._panes if name not in first)]
        self._panes = {name: self._panes[name] for name in names}
        self._slots = {name: self._slots[name] for name in names}

    def beside(self, slot_id: str) -> str | None:
        """The neighbour at the right, else the one at the left."""
        order = self.order
        at = order.index(slot_id)
        return next(iter((*order[at + 1 : at + 2], *order[max(0, at - 1) : at])), None)

    def stepped(self, slot_id: str | None, by: int) -> str | None:
        """The one so many further, round at the ends; None from none."""
        order = self.order
        return order[(order.index(slot_id) + by) % len(order)] if slot_id in self._panes and slot_id else None

    def after(self, slot_id: str | None) -> tuple[str, ...]:
        """All of them from this one on, round at the end."""
        order = self.order
        at = order.index(slot_id) if slot_id in self._panes and slot_id else 0
        return (*order[at:], *order[:at])

    def closed_last(self, get: Callable[[str], Slot | None]) -> str | None:
        """The slot that was closed last and isn't open again; None if its job is gone too."""
        self._closed = [name for name in self._closed if name not in self._panes and get(name) is not None]
        return self._closed[-1] if self._closed else None
