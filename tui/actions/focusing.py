"""Moving the focus, giving one part the screen, and several their share of it."""

from tui.actions.registry import Action, Deck, has_pane
from tui.keymap import BY_ID, key_name
from tui.widgets.tiling import LEAST_COLUMNS, LEAST_ROWS


def split(deck: Deck) -> None:
    """One more pane beside the others; once there are no more, or no room, one alone again."""
    area = deck.area
    deck.set_zoomed(False)
    if area.split_more():
        return
    if len(area.split.names) > 1:
        area.split_no_more()
    elif area.next_beside() is None:
        deck.say("A split shows several open tabs: open another job's first, with Enter in the stack")
    else:
        zoom = key_name(BY_ID["view.zoom"].keys[0])
        need = f"two panes need {2 * LEAST_COLUMNS} columns or {2 * LEAST_ROWS} rows"
        deck.say(f"No room for a split here: {need}. {zoom} gives one pane the screen", severity="warning")


def _is_split(deck: Deck) -> bool:
    return len(deck.area.split.names) > 1


ACTIONS = {
    "focus.next": Action(lambda deck: deck.move_focus(1)),
    "focus.previous": Action(lambda deck: deck.move_focus(-1)),
    "view.zoom": Action(lambda deck: deck.zoom(), has_pane),
    "view.split": Action(split, has_pane, offered=lambda deck: len(deck.area.order) > 1),
    "view.unsplit": Action(lambda deck: deck.area.split_no_more(), _is_split),
}
