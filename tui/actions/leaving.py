"""Help, the palette, and the way out."""

import os

from rich.text import Text

from tui.actions.registry import Action, Deck
from tui.screens.help import Help
from tui.screens.quit import Quit
from tui.show.leaving import fates, left_goals, left_jobs


def show_palette(deck: Deck) -> None:
    """Every action by name."""
    deck.app.clear_notifications()
    deck.app.action_command_palette()


def suspend(deck: Deck) -> None:
    """Back to the shell for a while."""
    deck.app.action_suspend_process()


async def show_help(deck: Deck) -> None:
    """Every key."""
    await deck.show_dialog(Help())


async def leave(deck: Deck) -> None:
    """Leave at once when nothing runs and nothing is waited for, else ask; say what lives on."""
    waits = deck.signals.waits
    idle = not deck.store.ours() and not waits.standing()
    if idle or await deck.show_dialog(Quit(deck.bridge, deck.store, waits)):
        goals = [goal for goal in waits.goals() if goal.status == "active" and goal.host_pid == os.getpid()]
        kept = fates([slot.job for slot in deck.store.ours()]).kept
        said = "\n".join(text for text in (left_jobs(kept), left_goals(goals)) if text)
        deck.app.exit(return_code=0, message=Text(said) if said else None)


ACTIONS = {
    "app.palette": Action(show_palette),
    "app.suspend": Action(suspend),
    "app.help": Action(show_help, opens=True),
    "app.quit": Action(leave, opens=True),
}
