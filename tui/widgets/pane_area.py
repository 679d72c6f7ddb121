"""The place of the panes: tabs above, below them the pane that is seen, or several side by side.

Longer than usual: tabs, split and focus all go by which tab is the active one.
"""

from collections.abc import Callable, Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.geometry import Size

from engine.events import JobView
from tui.bridge.bridge import Bridge
from tui.bridge.stream import PaneStream
from tui.reading.bookmarks import Bookmarks
from tui.show.states import look
from tui.store import JobStore
from tui.widgets.empty import EmptyState
from tui.widgets.open_tabs import OpenTabs
from tui.widgets.pane import CHROME_COLUMNS, CHROME_ROWS, Pane
from tui.widgets.pane_grid import PaneGrid
from tui.widgets.sized import Sized
from tui.widgets.split import Split
from tui.widgets.tab_bar import TabBar
from tui.widgets.terminal import TerminalView

NARROW = 70
"""A line of tabs with less room than this leaves as much of it as possible to the tabs."""
BARS = 3
"""Header, tabs, footer."""


class PaneArea(Sized, Vertical):
    """Open tabs in order, one of them active, some seen beside it. Closing one never ends its job."""

    def __init__(self, store: JobStore) -> None:
        super().__init__(id="pane-area")
        self._store = store
        self._bridge: Bridge | None = None
        self._resize: Callable[[JobView, int, int], None] = lambda _job, _cols, _rows: None
        self._turned: Callable[[], None] = lambda: None
        self._open = OpenTabs()
        self._shown = True
        self.active: str | None = None
        """The slot whose pane is seen and gets the keys."""
        self.split = Split()
        self.tabs = TabBar()
        self._grid = PaneGrid()
        self.empty = EmptyState()
        """What stands there while no tab is open."""
        self._bookmarks: dict[str, Bookmarks] = {}
        """Every job's that was ever opened, by its session id."""

    def compose(self) -> ComposeResult:
        """Tabs, panes, and what to say while there are none."""
        yield self.tabs
        with self._grid:
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
        return self._open.order

    @property
    def pane(self) -> Pane | None:
        """The active pane."""
        return self._open.get(self.active)

    def pane_of(self, slot_id: str) -> Pane | None:
        """A slot's pane, if its tab is open."""
        return self._open.get(slot_id)

    def streams(self) -> Sequence[PaneStream]:
        """The streams of the panes in sight, the focused one first."""
        names = sorted(self._grid.seen, key=lambda name: name != self.active) if self._shown else ()
        return tuple(self._open[name].stream for name in names)

    def redact(self, on: bool) -> None:
        """Mask secrets in all panes, or show them; also in what they have taken in."""
        if self._bridge is not None:
            self._bridge.redact_panes = on
        for pane in self._open:
            pane.take_in_anew()

    def terminal_size(self) -> tuple[int, int]:
        """Columns and rows that a pane's terminal has here, also while none is open."""
        pane = self.pane
        if pane is not None and pane.view.room.area:
            return pane.view.room.width, pane.view.room.height
        width, height = self._grid.size
        if not self._grid.size.area:
            # A small terminal shows one thing at a time: the panes' turn comes, with all of it but three lines.
            width, height = self.screen.size.width, self.screen.size.height - BARS
        return max(1, width - CHROME_COLUMNS), max(1, height - CHROME_ROWS)

    # Opening, turning, closing

    def open(self, slot_id: str, *, turn: bool = True) -> None:
        """Open a job's tab, or go to it; without ``turn`` what is seen stays."""
        slot = self._store.get(slot_id)
        if slot is None or self._bridge is None:
            return
        if slot_id not in self._open:
            pane = Pane(slot.job, self.terminal_size(), self._bridge, self._resize)
            pane.marks.bookmarks = self._bookmarks.setdefault(slot.job.session_id, pane.marks.bookmarks)
            pane.display = False
            self._open.add(slot, pane)
            self._grid.mount(pane)
        if turn or self.active is None:
            self.turn_to(slot_id)
        self.show()

    def turn_to(self, slot_id: str | None) -> None:
        """Show this tab's pane: it attaches, the one that was seen detaches."""
        if slot_id == self.active:
            return
        had_focus = self.has_the_focus
        self.split.turn(self.active, slot_id)
        self.active = slot_id
        self._arrange(focus=had_focus)
        self._turned()

    # Side by side

    def _room(self) -> Size:
        """For all panes together: all but the line of tabs."""
        if not self.size.area:  # a small terminal shows one thing at a time: see `terminal_size`
            return Size(self.screen.size.width, max(0, self.screen.size.height - BARS))
        return Size(self.size.width, max(0, self.size.height - 1))

    def _arrange(self, *, focus: bool = False) -> None:
        """Have those seen that are to be seen. ``focus``: the active pane gets it."""
        room = self._room()
        seen = self.split.seen(self.active, *room)
        move = self.focus_pane if focus else None
        self._grid.show(self._open, seen, self.active, room, shown=self._shown, focus=move)
        self.empty.display = self.active is None
        self.look()
        self.show()

    def size_changed(self) -> None:
        """There may be room for fewer panes, or for more."""
        if self.active is not None:
            self._arrange()

    def next_beside(self) -> str | None:
        """The open tab that would be seen next beside the others: the first right of the active, round at the end."""
        return next((name for name in self._open.after(self.active) if name not in self.split.names), None)

    def can_split(self) -> bool:
        """Is there room for one more pane?"""
        return self.split.room_for_more(*self._room())

    def split_more(self) -> bool:
        """See one more tab's pane beside the others. False: there is none, or no room."""
        name = self.next_beside()
        if name is None or self.active is None or not self.can_split():
            return False
        self.split.add(name, self.split.names[-1])
        self._arrange()
        return True

    def see_together(self, names: Sequence[str]) -> None:
        """See these tabs' panes side by side, if the active one is among them and there are others."""
        names = [name for name in names if name in self._open]
        if len(names) > 1 and self.active in names and names != self.split.names:
            self.split.names = names
            self._arrange()

    def split_no_more(self) -> None:
        """See the active pane alone; the other tabs stay open."""
        self.split.names = [self.active] if self.active is not None else []
        self._arrange()

    def take_out(self, slot_id: str) -> None:
        """See this pane no more beside the others; its tab stays."""
        if slot_id in self.split.names and len(self.split.names) > 1:
            neighbour = self.split.take_out(slot_id)
            if slot_id == self.active:
                self.turn_to(neighbour)
            else:
                self._arrange()

    def set_alone(self, alone: bool) -> None:
        """See only the active pane, for a while."""
        if alone != self.split.alone:
            self.split.alone = alone
            self._arrange()

    def on_descendant_focus(self, _: events.DescendantFocus) -> None:
        """The pane that has the focus is the active one."""
        focused = self.screen.focused
        pane = next((pane for pane in self._open if focused in (pane.view, pane.search.line)), None)
        if pane is not None and pane.job.slot != self.active:
            self.turn_to(pane.job.slot)

    def on_click(self, event: events.Click) -> None:
        """A pane is focused by a click wherever on it."""
        widget = event.widget
        pane = next((one for one in widget.ancestors_with_self if isinstance(one, Pane)), None) if widget else None
        if pane is not None and pane.job.slot != self.active:
            self.turn_to(pane.job.slot)
            self.focus_pane()

    def step(self, by: int) -> None:
        """Turn to a neighbour, round at the ends."""
        name = self._open.stepped(self.active, by)
        if name is not None:
            self.turn_to(name)

    async def close(self, slot_id: str) -> None:
        """Close a tab; the neighbour is seen. The job goes on."""
        pane = self.shut(slot_id)
        if pane is not None:
            await pane.remove()

    def shut(self, slot_id: str) -> Pane | None:
        """Close a tab in this very moment: the next key of a burst finds it closed. The pane is left to be removed."""
        pane = self._open.get(slot_id)
        if pane is None:
            return None
        if slot_id in self.split.names and len(self.split.names) > 1:
            self.take_out(slot_id)
        elif slot_id == self.active:
            self.turn_to(self._open.beside(slot_id))
        self._open.remove(slot_id)
        pane.stream.forget()
        self.show()
        return pane

    @property
    def last_closed(self) -> str | None:
        """The slot whose tab was closed last and isn't open again; None if its job is gone too."""
        return self._open.closed_last(self._store.get)

    def reopen(self) -> None:
        """Open that tab again."""
        if self.last_closed is not None:
            self.open(self.last_closed)

    def set_order(self, order: Sequence[str]) -> None:
        """Have these slots' tabs first, in this order, the others after them as they are."""
        self._open.reorder(order)
        self.show()

    # News

    def refresh_jobs(self) -> None:
        """The store has changed: pass each pane its job. A job that is gone keeps its tab until that is closed."""
        for slot, pane in self._open.renew(self._store.get):
            if slot.job is not pane.job or look(slot.job, slot.use) is not look(pane.job, pane.use):
                pane.show_job(slot.job, slot.use, seen=self._shown and slot.id in self._grid.seen)
        self.look()
        self.show()

    def look(self) -> None:
        """What is in sight counts as seen."""
        for name in self._grid.seen if self._shown else ():
            self._store.look_at(name)

    def show(self) -> None:
        """Show the tabs as they are."""
        pane = self.pane
        short = self.tabs.size.width < NARROW
        note = pane.following(short=short) if pane is not None and len(self._grid.seen) == 1 else None
        self.tabs.show(self._open.slots, self.active, self._grid.seen, note)
        began = any(slot.local or slot.job.has_run for slot in self._store)
        self.empty.tell(len(self._store), began=began, can_reopen=self.last_closed is not None)

    def set_shown(self, shown: bool) -> None:
        """Can the panes be seen? A small terminal shows the stack in their stead: then they are detached."""
        if shown == self._shown:
            return
        self._shown = shown
        self._arrange()

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
        searching = self.pane is not None and self.screen.focused is self.pane.search.line
        return self.pane_has_focus or searching or self.screen.focused is self.empty

    @property
    def view(self) -> TerminalView | None:
        """The active pane's view."""
        pane = self.pane
        return pane.view if pane is not None else None

    @property
    def views(self) -> Sequence[TerminalView]:
        """The views in sight, from the left."""
        return [self._open[name].view for name in self._grid.seen]
