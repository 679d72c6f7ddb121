"""Searching all jobs."""

from tui.actions.jumping import go_to_line
from tui.actions.registry import Action, Deck
from tui.screens.search import SearchJobs


async def search_all(deck: Deck) -> None:
    """Ask what for, and go to the line that is chosen."""
    found = await deck.show_dialog(SearchJobs(deck.bridge, deck.drafts, deck.store.name_of))
    slot = deck.store.job(found.session_id) if found is not None else None
    if found is not None and slot is not None:
        await go_to_line(deck, slot, found.line, found.position, found.text)


ACTIONS = {"jobs.search": Action(search_all, lambda deck: len(deck.store) > 0, opens=True)}
