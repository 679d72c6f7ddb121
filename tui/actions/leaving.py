"""Help, the palette, and the way out."""

import os
from collections.abc import Sequence

from rich.text import Text

from engine.waiting import GoalView
from tui.actions.registry import Action, Deck
from tui.screens.help import Help
from tui.screens.quit import Quit
from tui.show.cleaning import clean_line

LISTED = 5


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
    """Leave at once when nothing runs and nothing is waited for, else ask; say what becomes of goals."""
    waits = deck.signals.waits
    idle = not deck.store.live() and not waits.standing()
    if idle or await deck.show_dialog(Quit(deck.bridge, deck.store, waits)):
        goals = [goal for goal in waits.goals() if goal.status == "active" and goal.host_pid == os.getpid()]
        deck.app.exit(return_code=0, message=Text(left_goals(goals)) if goals else None)


def left_goals(goals: Sequence[GoalView]) -> str:
    """What is said below the console when it has gone: these are saved, and how they go on."""
    named = "\n".join(f"  {goal.goal_id}  {clean_line(goal.goal, 60)}" for goal in goals[:LISTED])
    more = f"\n  and {len(goals) - LISTED} more" if len(goals) > LISTED else ""
    several = len(goals) > 1
    return (
        f"{'Goals that are' if several else 'A goal that is'} not done {'stay' if several else 'stays'} saved, and "
        f"{'go' if several else 'goes'} on when jobdeck is opened again, or by 'jobdeck goal resume ID':\n{named}{more}"
    )


ACTIONS = {
    "app.palette": Action(show_palette),
    "app.suspend": Action(suspend),
    "app.help": Action(show_help, opens=True),
    "app.quit": Action(leave, opens=True),
}
