"""Moving in the stack, and opening from it."""

from tui.actions.registry import Action, Deck, has_target

FAR = 1_000_000


def open_selected(deck: Deck) -> None:
    """Open the selected job's tab and go into its pane."""
    if deck.stack.selected is not None:
        deck.area.open(deck.stack.selected)
        deck.focus_pane()


def _move(by: int) -> Action:
    def run(deck: Deck) -> None:
        deck.stack.move(by)
        deck.show_selected()

    return Action(run, has_target)


ACTIONS = {
    "stack.open": Action(open_selected, has_target),
    "stack.down": _move(1),
    "stack.up": _move(-1),
    "stack.first": _move(-FAR),
    "stack.last": _move(FAR),
}
