"""Tabs: go to one, close one."""

from tui.actions.registry import Action, Deck, has_pane


def _go_to(number: int) -> Action:
    def run(deck: Deck) -> None:
        order = deck.area.order
        if number <= len(order):
            deck.area.turn_to(order[number - 1])

    return Action(run, lambda deck: number <= len(deck.area.order))


def close(deck: Deck) -> None:
    """Close the tab that is seen, or those of the marked jobs; jobs go on, the focus goes to the neighbour."""
    slot_ids = deck.stack.marked if deck.in_stack and deck.stack.marked else [deck.area.active]
    for slot_id in slot_ids:
        if slot_id in deck.area.order:
            deck.close_tab(slot_id)


def reopen(deck: Deck) -> None:
    """Open the tab again that was closed last."""
    deck.area.reopen()
    deck.focus_pane()


ACTIONS = {
    "tab.close": Action(close, has_pane),
    "tab.reopen": Action(reopen, lambda deck: deck.area.last_closed is not None),
    "tab.next": Action(lambda deck: deck.area.step(1), lambda deck: len(deck.area.order) > 1),
    "tab.previous": Action(lambda deck: deck.area.step(-1), lambda deck: len(deck.area.order) > 1),
    **{f"tab.{number}": _go_to(number) for number in range(1, 10)},
}
