"""The drawer of details: open, close."""

from tui.actions.registry import Action, Deck, has_target


def toggle(deck: Deck) -> None:
    """Show what is known of the job, or no more."""
    slot = deck.target()
    if deck.drawer.display:
        had_focus = deck.drawer.has_focus
        deck.drawer.close()
        if had_focus:
            deck.focus_back(None)
    elif slot is not None:
        deck.show_details(slot)


ACTIONS = {"job.details": Action(toggle, lambda deck: deck.drawer.display or has_target(deck))}
