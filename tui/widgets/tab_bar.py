"""The line of tabs over the panes."""

from collections.abc import Collection, Sequence

from rich.cells import cell_len

from tui.show.cleaning import clean_line
from tui.show.numbers import short_count
from tui.show.states import GLYPHS, Look, look
from tui.store import Slot
from tui.widgets.line import Line, Piece, cut_middle, width_of

TONES: dict[Look, str] = {
    Look.STARTING: "$accent",
    Look.WAITING: "$accent",
    Look.IDLE: "$quiet",
    Look.RUNNING: "$success",
    Look.ASKS: "$accent",
    Look.STOPPED: "$warning",
    Look.ENDING: "$warning",
    Look.DETACHED: "$warning",
    Look.DONE: "$success",
    Look.FAILED: "$error",
    Look.KILLED: "$warning",
    Look.LOST: "$warning",
}
"""Each state's colour, in theme variables."""
KEYS = 9
"""So many tabs have a key, which is their number."""
NAME_WIDTH = 24
"""The most cells that a tab's name gets."""
LEAST_WIDTH = 4
"""The least: with less, only some of the tabs are shown."""


class TabBar(Line):
    """Tabs at the left, how the pane follows at the right. What doesn't fit is behind ``‹`` and ``›``."""

    def __init__(self) -> None:
        super().__init__(id="tabs")
        self._slots: tuple[Slot, ...] = ()
        self._active: str | None = None
        self._beside: Collection[str] = ()
        self._note: Piece | None = None

    def show(self, slots: Sequence[Slot], active: str | None, seen: Collection[str], note: Piece | None) -> None:
        """Show these tabs, and whose panes are ``seen``; ``note`` tells whether the pane follows."""
        self._slots, self._active, self._beside, self._note = tuple(slots), active, tuple(seen), note
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """All tabs, with shorter names if need be; if even that is too much, the active one and some around it."""
        right = [self._note, Piece(" ")] if self._note else []
        room = width - width_of(right) - 4
        tabs = self._tabs(room)
        at = next((number for number, slot in enumerate(self._slots) if slot.id == self._active), 0)
        first, last = at, at
        while tabs:
            before, after = first > 0, last < len(tabs) - 1
            shown = sum(width_of(tab) for tab in tabs[first : last + 1])
            if after and shown + width_of(tabs[last + 1]) <= room:
                last += 1
            elif before and shown + width_of(tabs[first - 1]) <= room:
                first -= 1
            else:
                break
        left = [Piece("‹ ", "$quiet", f"go:{self._slots[first - 1].id}")] if tabs and first > 0 else []
        left += [piece for tab in tabs[first : last + 1] for piece in tab]
        if tabs and last < len(tabs) - 1:
            left.append(Piece(" ›", "$quiet", f"go:{self._slots[last + 1].id}"))
        return left, right

    def _tabs(self, room: int) -> list[list[Piece]]:
        """Every tab; the longest names shrink first."""
        for most in range(NAME_WIDTH, LEAST_WIDTH - 1, -1):
            tabs = [self._tab(number, slot, most) for number, slot in enumerate(self._slots, 1)]
            if sum(map(width_of, tabs)) <= room:
                break
        return tabs

    def _tab(self, number: int, slot: Slot, most: int) -> list[Piece]:
        seen = look(slot.job, slot.use)
        name = clean_line(slot.job.name or slot.job.command, 200)
        name = cut_middle(name, min(most, cell_len(name)))
        go, close = f"go:{slot.id}", f"close:{slot.id}"
        mark = ("!" if slot.rang else "") + ("•" if slot.unseen else "")
        key = f" {number}" if number <= KEYS else " "
        hits = f" ⚑{short_count(slot.job.hits)}" if slot.job.hits else ""
        if slot.id == self._active:
            ground = "on $selected"
            return [
                Piece(key, f"$quiet {ground}", go),
                Piece(f" {GLYPHS[seen]} ", f"{TONES[seen]} {ground}", go),
                Piece(name, f"bold $foreground {ground}", go),
                Piece(hits, f"$warning {ground}", go),
                Piece(" × ", f"$quiet {ground}", close),
            ]
        ground = " on $selected-idle" if slot.id in self._beside else ""
        return [
            Piece(key, f"$faint{ground}", go),
            Piece(f" {GLYPHS[seen]} ", f"{TONES[seen]}{ground}", go),
            Piece(name, f"$quiet{ground}", go),
            Piece(hits, f"$warning{ground}", go),
            Piece(f" {mark}" if mark else "", f"$warning{ground}", go),
            Piece(" " * (3 - cell_len(f" {mark}" if mark else "")), ground.strip(), go),
        ]
