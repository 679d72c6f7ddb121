"""Moving the focus, and giving one part the screen."""

from tui.actions.registry import Action, has_pane

ACTIONS = {
    "focus.next": Action(lambda deck: deck.move_focus(1)),
    "focus.previous": Action(lambda deck: deck.move_focus(-1)),
    "view.zoom": Action(lambda deck: deck.zoom(), has_pane),
}
