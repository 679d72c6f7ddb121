"""Searching in a pane, and what Escape clears."""

from collections.abc import Callable

from tui.actions.registry import Action, Deck, has_pane
from tui.widgets.search_bar import SearchBar


def _searching(deck: Deck) -> bool:
    return deck.area.pane is not None and deck.area.pane.search.display


def _on_bar(act: Callable[[SearchBar], None], can: Callable[[Deck], bool] = _searching) -> Action:
    def run(deck: Deck) -> None:
        pane = deck.area.pane
        if pane is not None:
            act(pane.search)

    return Action(run, can)


def _selected(deck: Deck) -> bool:
    return deck.area.view is not None and deck.area.view.selection.span is not None


def escape(deck: Deck) -> None:
    """Clear the selection; if there is none, the search."""
    view, pane = deck.area.view, deck.area.pane
    if view is not None and _selected(deck):
        view.selection.clear()
        view.selected()
        view.move_by(0)  # at the end it follows again
    elif pane is not None:
        pane.search.close()


ACTIONS = {
    "pane.search": _on_bar(SearchBar.open, has_pane),
    "pane.next": _on_bar(lambda bar: bar.go(1)),
    "pane.previous": _on_bar(lambda bar: bar.go(-1)),
    "pane.escape": Action(escape, lambda deck: _searching(deck) or _selected(deck)),
    "search.accept": _on_bar(SearchBar.accept),
    "search.next": _on_bar(lambda bar: bar.go(1)),
    "search.previous": _on_bar(lambda bar: bar.go(-1)),
    "search.case": _on_bar(SearchBar.toggle_case),
    "search.regex": _on_bar(SearchBar.toggle_regex),
    "search.close": _on_bar(SearchBar.give_up),
}
