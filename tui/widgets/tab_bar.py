"""The line of tabs over the panes."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from rich.cells import cell_len

from tui.show.cleaning import clean_line
from tui.show.numbers import short_count
from tui.show.states import GLYPHS, Look, look
from tui.store import Slot
from tui.widgets.grounds import reverses
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
        names, widths = self._widths(room)
        at = next((number for number, slot in enumerate(self._slots) if slot.id == self._active), 0)
        first, last = at, at
        shown = widths[at] if widths else 0
        while widths:
            if last < len(widths) - 1 and shown + widths[last + 1] <= room:
                last += 1
                shown += widths[last]
            elif first > 0 and shown + widths[first - 1] <= room:
                first -= 1
                shown += widths[first]
            else:
                break
        left = [Piece("‹ ", "$quiet", f"go:{self._slots[first - 1].id}")] if widths and first > 0 else []
        for number in range(first, last + 1) if widths else ():
            left += self._tab(number + 1, self._slots[number], names[number])
        if widths and last < len(widths) - 1:
            left.append(Piece(" ›", "$quiet", f"go:{self._slots[last + 1].id}"))
        return left, right

    def _widths(self, room: int) -> tuple[list[int], list[int]]:
        """The cells of each tab's name, and of the whole tab; the longest names shrink first."""
        names = [_name(slot)[1] for slot in self._slots]
        rest = [_around(number, slot) for number, slot in enumerate(self._slots, 1)]
        left = room - sum(rest)
        most = next((most for most in range(NAME_WIDTH, LEAST_WIDTH, -1) if _fit(names, most, left)), LEAST_WIDTH)
        names = [min(most, cells) for cells in names]
        return names, [cells + around for cells, around in zip(names, rest, strict=True)]

    def _tab(self, number: int, slot: Slot, cells: int) -> list[Piece]:
        seen = look(slot.job, slot.use)
        name = cut_middle(_name(slot)[0], cells)
        go, close = f"go:{slot.id}", f"close:{slot.id}"
        mark = ("!" if slot.rang else "") + ("•" if slot.unseen else "")
        key, hits = _key(number), _hits(slot)
        if slot.id == self._active:
            if reverses(self.app):
                text = f"{key} {GLYPHS[seen]} {name}{hits}"
                return [Piece(text, "bold reverse", go), Piece(" × ", "reverse", close)]
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
            Piece(key, f"$quiet{ground}", go),
            Piece(f" {GLYPHS[seen]} ", f"{TONES[seen]}{ground}", go),
            Piece(name, f"$quiet{ground}", go),
            Piece(hits, f"$warning{ground}", go),
            Piece(f" {mark}" if mark else "", f"$warning{ground}", go),
            Piece(" " * (3 - cell_len(f" {mark}" if mark else "")), ground.strip(), go),
        ]


_SIGNS = 6
"""The cells of a glyph with its blanks, and of the marks or the ×."""


def _around(number: int, slot: Slot) -> int:
    """The cells of a tab beside those of its name."""
    return len(_key(number)) + cell_len(_hits(slot)) + _SIGNS


def _key(number: int) -> str:
    return f" {number}" if number <= KEYS else " "


def _hits(slot: Slot) -> str:
    return f" ⚑{short_count(slot.job.hits)}" if slot.job.hits else ""


def _name(slot: Slot) -> tuple[str, int]:
    return _cleaned(slot.job.name or slot.job.command)


@lru_cache(maxsize=1_000)
def _cleaned(name: str) -> tuple[str, int]:
    """As it can be shown, and its cells."""
    words = clean_line(name, 200)
    return words, cell_len(words)


def _fit(names: Sequence[int], most: int, room: int) -> bool:
    """Is there room for names of so many cells, if each gets ``most`` of them?"""
    return sum(cells if cells < most else most for cells in names) <= room
