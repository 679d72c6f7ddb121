"""Moving in the feed of hits, and from a hit to its line."""

from tui.actions.jumping import go_to_row
from tui.actions.registry import Action, Deck
from tui.widgets.hit_feed import HitFeed

FAR = 1_000_000


async def go(deck: Deck) -> None:
    """Go to the selected hit's line."""
    row = deck.signals.hit_feed.row
    if row is not None:
        await go_to_row(deck, row)


def fold(deck: Deck) -> None:
    """Fold waits and hits to a line, or show them."""
    signals = deck.signals
    signals.folded = not signals.folded
    if signals.folded and deck.focused in signals.stops():
        deck.focus_pane()
    deck.fit()


def _has_rows(deck: Deck) -> bool:
    return len(deck.signals.hits) > 0


def _move(by: int) -> Action:
    return Action(lambda deck: deck.signals.hit_feed.move(by), _has_rows)


def _page(direction: int) -> Action:
    def run(deck: Deck) -> None:
        feed: HitFeed = deck.signals.hit_feed
        feed.move(direction * max(1, feed.size.height - 1))

    return Action(run, _has_rows)


ACTIONS = {
    "hits.go": Action(go, lambda deck: deck.signals.hit_feed.row is not None),
    "hits.down": _move(1),
    "hits.up": _move(-1),
    "hits.page_down": _page(1),
    "hits.page_up": _page(-1),
    "hits.first": _move(-FAR),
    "hits.last": _move(FAR),
    "view.signals": Action(fold, lambda deck: not deck.signals.empty),
}
