"""What the keys, the footer, the palette and the mouse ask for: one small function an action."""

from tui.actions import (
    agents,
    copying,
    details,
    ending,
    finding,
    focusing,
    hits,
    jobs,
    leaving,
    marking,
    panes,
    recalling,
    searching,
    stack,
    submitting,
    tabs,
    themes,
    typing,
    waiting,
    watching,
)
from tui.actions.registry import Action, Deck

ACTIONS: dict[str, Action] = {
    **agents.ACTIONS,
    **copying.ACTIONS,
    **details.ACTIONS,
    **ending.ACTIONS,
    **finding.ACTIONS,
    **focusing.ACTIONS,
    **hits.ACTIONS,
    **jobs.ACTIONS,
    **leaving.ACTIONS,
    **marking.ACTIONS,
    **panes.ACTIONS,
    **recalling.ACTIONS,
    **searching.ACTIONS,
    **stack.ACTIONS,
    **submitting.ACTIONS,
    **tabs.ACTIONS,
    **themes.ACTIONS,
    **typing.ACTIONS,
    **waiting.ACTIONS,
    **watching.ACTIONS,
}
"""Every action by its id in the table of keys."""

__all__ = ["ACTIONS", "Action", "Deck"]
