"""The place of the panes: tabs above, the pane that is seen below them."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.containers import Container, Vertical

from engine.events import JobView
from tui.bridge.bridge import Bridge
from tui.bridge.stream import PaneStream
from tui.reading.bookmarks import Bookmarks
from tui.store import JobStore, Slot
from tui.widgets.empty import EmptyState
from tui.widgets.pane import CHROME_COLUMNS, CHROME_ROWS, Pane
from tui.widgets.tab_bar import TabBar
from tui.widgets.terminal import TerminalView

NARROW = 70
"""A line of tabs with less room than this leaves as much of it as possible to the tabs."""
BARS = 3
"""Header, tabs, footer."""


class PaneArea(Vertical):
    """Open tabs in order, at most one of them seen. Closing one never ends its job."""

    def __init__(self, store: JobStore) -> None:
        super().__init__(id="pane-area")
        self._store = store
        self._bridge: Bridge | None = None
        self._resize: Callable[[JobView, int, int], None] = lambda _job, _cols, _rows: None
        self._turned: Callable[[], None] = lambda: None
        self._panes: dict[str, Pane] = {}
        self._slots: dict[str, Slot] = {}
        """The open tabs' slots: a job may leave the shelf while somebody still reads what it wrote."""
        self._shown = True
        self.active: str | None = None
        """The slot whose pane is seen."""
        self.tabs = TabBar()
        self._place = Container(id="panes")
        self.empty = EmptyState()
        """What stands there while no tab is open."""
        self._closed_tabs: list[str] = []
        self._bookmarks: dict[str, Bookmarks] = {}
        """Every job's that was ever opened, by its session id."""

    def compose(self) -> ComposeResult:
        """Tabs, panes, and what to say while there are none."""
        yield self.tabs
        with self._place:
            yield self.empty

    def connect(self, bridge: Bridge, resize: Callable[[JobView, int, int], None], turned: Callable[[], None]) -> None:
        """Panes attach through this bridge, and ask ``resize`` for the size they have room for.

        ``turned`` is called as soon as another tab is seen, or none: the next key of a burst must act on that.
        """
        self._bridge, self._resize, self._turned = bridge, resize, turned

    # What is open

    @property
    def order(self) -> tuple[str, ...]:
        """The open tabs' slots, from the left."""
        return tuple(self._panes)

    @property
    def pane(self) -> Pane | None:
        """The pane that is seen."""
        return self._panes.get(self.active) if self.active is not None else None

    def pane_of(self, slot_id: str) -> Pane | None:
        """A slot's pane, if its tab is open."""
        return self._panes.get(slot_id)

    def streams(self) -> Sequence[PaneStream]:
        """The streams of the panes in sight, the focused one first."""
        pane = self.pane
        return (pane.stream,) if pane is not None and self._shown else ()

    def redact(self, on: bool) -> None:
        """Mask secrets in all panes, or show them; also in what they have taken in."""
        if self._bridge is not None:
            self._bridge.redact_panes = on
        for pane in self._panes.values():
            pane.take_in_anew()

    def terminal_size(self) -> tuple[int, int]:
        """Columns and rows that a pane's terminal has here, also while none is open."""
        pane = self.pane
        if pane is not None and pane.view.room.area:
            return pane.view.room.width, pane.view.room.height
        width, height = self._place.size
        if not self._place.size.area:
            # A small terminal shows one thing at a time: the panes' turn comes, with all of it but three lines.
            width, height = self.screen.size.width, self.screen.size.height - BARS
        return max(1, width - CHROME_COLUMNS), max(1, height - CHROME_ROWS)

    # Opening, turning, closing

    def open(self, slot_id: str, *, turn: bool = True) -> None:
        """Open a job's tab, or go to it; without ``turn`` what is seen stays."""
        slot = self._store.get(slot_id)
        if slot is None or self._bridge is None:
            return
        if slot_id not in self._panes:
            pane = Pane(slot.job, self.terminal_size(), self._bridge, self._resize)
            pane.marks.bookmarks = self._bookmarks.setdefault(slot.job.session_id, pane.marks.bookmarks)
            pane.display = False
            self._panes[slot_id] = pane
            self._slots[slot_id] = slot
            self._place.mount(pane)
        if turn or self.active is None:
            self.turn_to(slot_id)
        self.show()

    def turn_to(self, slot_id: str | None) -> None:
        """Show this tab's pane: it attaches, the one that was seen detaches."""
        if slot_id == self.active:
            return
        old = self.pane
        had_focus = self.has_the_focus
        self.active = slot_id
        new = self.pane
        if new is not None:
            new.display = True
            new.set_seen(self._shown)
            if had_focus:
                self.focus_pane()
        if old is not None:
            old.display = False
            old.set_seen(False)
        self.empty.display = new is None
        self.look()
        self.show()
        self._turned()

    def step(self, by: int) -> None:
        """Turn to a neighbour, round at the ends."""
        if self.active in self._panes:
            order = self.order
            self.turn_to(order[(order.index(self.active) + by) % len(order)])

    async def close(self, slot_id: str) -> None:
        """Close a tab; the neighbour is seen. The job goes on."""
        pane = self._panes.get(slot_id)
        if pane is None:
            return
        order = self.order
        place = order.index(slot_id)
        if slot_id == self.active:
            neighbours = (*order[place + 1 : place + 2], *order[max(0, place - 1) : place])
            self.turn_to(neighbours[0] if neighbours else None)
        del self._panes[slot_id], self._slots[slot_id]
        self._closed_tabs = [*(name for name in self._closed_tabs if name != slot_id), slot_id]
        pane.stream.forget()
        self.show()
        await pane.remove()

    @property
    def last_closed(self) -> str | None:
        """The slot whose tab was closed last and isn't open again; None if its job is gone too."""
        self._closed_tabs = [
            name for name in self._closed_tabs if name not in self._panes and self._store.get(name) is not None
        ]
        return self._closed_tabs[-1] if self._closed_tabs else None

    def reopen(self) -> None:
        """Open that tab again."""
        if self.last_closed is not None:
            self.open(self.last_closed)

    def set_order(self, order: Sequence[str]) -> None:
        """Have these slots' tabs first, in this order, the others after them as they are."""
        first = [name for name in order if name in self._panes]
        names = [*first, *(name for name in self._panes if name not in first)]
        self._panes = {name: self._panes[name] for name in names}
        self._slots = {name: self._slots[name] for name in names}
        self.show()

    # News

    def refresh_jobs(self) -> None:
        """The store has changed: pass each pane its job. A job that is gone keeps its tab until that is closed."""
        for slot_id, pane in self._panes.items():
            slot = self._slots[slot_id] = self._store.get(slot_id) or self._slots[slot_id]
            if slot.job is not pane.job:
                pane.show_job(slot.job, seen=self._shown and slot_id == self.active)
        self.look()
        self.show()

    def look(self) -> None:
        """What is in sight counts as seen."""
        if self.active is not None and self._shown:
            self._store.look_at(self.active)

    def show(self) -> None:
        """Show the tabs as they are."""
        pane = self.pane
        short = self.tabs.size.width < NARROW
        note = pane.following(short=short) if pane is not None else None
        self.tabs.show(tuple(self._slots.values()), self.active, note)
        self.empty.tell(len(self._store), can_reopen=self.last_closed is not None)

    def set_shown(self, shown: bool) -> None:
        """Can the panes be seen? A small terminal shows the stack in their stead: then they are detached."""
        if shown == self._shown:
            return
        self._shown = shown
        if self.pane is not None:
            self.pane.set_seen(shown)
        self.look()

    def on_pane_noted(self) -> None:
        """The pane in sight follows, or doesn't."""
        self.show()

    def focus_pane(self) -> bool:
        """Move the focus into the pane. False: there is none."""
        pane = self.pane
        if pane is None:
            return False
        if pane.view.is_attached:
            self.screen.set_focus(pane.view, scroll_visible=False)
        else:
            pane.wants_focus = True
        return True

    @property
    def pane_has_focus(self) -> bool:
        """Is the focus in the pane?"""
        pane = self.pane
        return pane is not None and self.screen.focused is pane.view

    @property
    def has_the_focus(self) -> bool:
        """Is the focus in the pane, or in what stands in its stead?"""
        return self.pane_has_focus or self.screen.focused is self.empty

    @property
    def view(self) -> TerminalView | None:
        """The view in sight."""
        pane = self.pane
        return pane.view if pane is not None else None
