"""Moving in a list of waits or hits."""

from collections.abc import Callable

from tui.actions.registry import Action, Deck
from tui.widgets.rows import Rows

FAR = 1_000_000
"""Entries; more than any list has."""


def moves(area: str, rows_of: Callable[[Deck], Rows]) -> dict[str, Action]:
    """The actions that select another entry, by their ids in the table of keys."""

    def has_rows(deck: Deck) -> bool:
        rows = rows_of(deck)
        return rows.end > rows.first

    def by(count: int) -> Action:
        return Action(lambda deck: rows_of(deck).move(count), has_rows)

    def page(direction: int) -> Action:
        return Action(lambda deck: rows_of(deck).page(direction), has_rows)

    return {
        f"{area}.down": by(1),
        f"{area}.up": by(-1),
        f"{area}.page_down": page(1),
        f"{area}.page_up": page(-1),
        f"{area}.first": by(-FAR),
        f"{area}.last": by(FAR),
    }
