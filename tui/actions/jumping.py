"""From a hit, or what a search found, to its line in the job's pane."""

import asyncio
import time

from tui.actions.naming import named
from tui.actions.registry import Deck
from tui.signals.hit_log import Row
from tui.store import Slot
from tui.widgets.finding import Lost, find_line
from tui.widgets.pane import Pane

PATIENCE_SECONDS = 10.0
"""How long a pane that was just opened may take to show what it missed."""
_LOOK_SECONDS = 0.02
_LOOKED_FOR = 400
"""Characters by which a line is known; its end may not be drawn yet."""


async def go_to_row(deck: Deck, row: Row, slot: Slot) -> None:
    """Open the job's pane if need be and go to the row's line; without a line, only to the job."""
    await go_to_line(deck, slot, row.line, row.position, row.text)


async def go_to_line(deck: Deck, slot: Slot, line: int, position: int, text: str) -> None:
    """Go to a line by its number, its position and what stands in it; with a number below 0 only to the job."""
    deck.area.open(slot.id)
    deck.stack.select(slot.id)
    deck.focus_pane()
    pane = deck.area.pane_of(slot.id)
    if line < 0 or pane is None:
        return
    # The line as a whole, or it is taken for another; its text may be longer than what was written, where it is masked.
    end = max(position + 1, min(position + len(text[:_LOOKED_FOR]), slot.job.total_output_chars))
    if not await _has_taken_in(pane, end):
        return
    found = find_line(pane.emulator, line, text[:_LOOKED_FOR])
    if isinstance(found, range):
        pane.go_to(found)
        if pane.stream.waiting or (pane.stream.position or 0) < slot.job.total_output_chars:
            pane.view.stay()  # at the end of what has come so far, but more is on its way
    elif found is Lost.GONE:
        deck.say(f"{named(slot)}: line {line + 1:,} is no longer kept", severity="warning")
    else:
        deck.say(f"{named(slot)}: line {line + 1:,} isn't on its screen any more", severity="warning")


async def _has_taken_in(pane: Pane, end: int) -> bool:
    """Wait until the pane shows what the job wrote before ``end``, cell for cell: lines are counted."""
    ends = time.monotonic() + PATIENCE_SECONDS
    made_exact = False  # once: under a flood that doesn't end there is always more to pass over
    while (
        (pane.stream.passed_over and not made_exact)
        or (taken := pane.stream.position) is None
        or taken < end
        or pane.stream.rebuilding
        or not pane.view.size.height
    ):
        if pane.stream.passed_over and pane.stream.attached and not made_exact:
            pane.stream.rebuild()
            made_exact = True
        if pane.being_read() and pane.stream.held:
            # More begins with a fresh start, which waits until nobody reads.
            pane.view.move_to(pane.emulator.end)
        if time.monotonic() > ends or not pane.is_attached:
            return False
        await asyncio.sleep(_LOOK_SECONDS)
    return True
