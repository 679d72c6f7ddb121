"""Moving in the feed of hits, and from a hit to its line."""

from tui.actions.jumping import go_to_row
from tui.actions.reading import read_row
from tui.actions.registry import Action, Deck
from tui.actions.scrolling import moves
from tui.signals.hit_log import Kind


async def go(deck: Deck) -> None:
    """Go to the selected hit's line; a notice has none and is read."""
    row = deck.signals.hit_feed.row
    if row is None:
        return
    slot = deck.store.job(row.session_id)
    if slot is None or row.kind is Kind.NOTICE:
        await read_row(deck, row)
    else:
        await go_to_row(deck, row, slot)


def fold(deck: Deck) -> None:
    """Fold waits and hits to a line, or show them."""
    signals = deck.signals
    signals.folded = not signals.folded
    if signals.folded and deck.focused in signals.stops():
        deck.focus_pane()
    deck.fit()


async def read(deck: Deck) -> None:
    """Read all of the selected row."""
    row = deck.signals.hit_feed.row
    if row is not None:
        await read_row(deck, row)


def _has_row(deck: Deck) -> bool:
    return deck.signals.hit_feed.row is not None


ACTIONS = {
    "hits.go": Action(go, _has_row),
    "hits.read": Action(read, _has_row, opens=True),
    **moves("hits", lambda deck: deck.signals.hit_feed),
    "view.signals": Action(fold, lambda deck: not deck.signals.empty),
}
