"""Moving in the stack, and opening from it."""

from tui.actions.registry import Action, Deck, has_target

FAR = 1_000_000


def open_selected(deck: Deck) -> None:
    """Open the selected job's tab and go into its pane."""
    if deck.stack.selected is not None:
        deck.area.open(deck.stack.selected)
        deck.focus_pane()


ACTIONS = {
    "stack.open": Action(open_selected, has_target),
    "stack.down": Action(lambda deck: deck.stack.move(1), has_target),
    "stack.up": Action(lambda deck: deck.stack.move(-1), has_target),
    "stack.first": Action(lambda deck: deck.stack.move(-FAR), has_target),
    "stack.last": Action(lambda deck: deck.stack.move(FAR), has_target),
}
