"""Results of jobs that are over: listed, and opened as panes."""

from engine.results import Refused
from tui.actions.registry import Action, Deck
from tui.screens.away import WhileAway
from tui.screens.results import EarlierResults
from tui.show.cleaning import clean_line


async def earlier(deck: Deck) -> None:
    """List what is retained, and open what is chosen."""
    result = await deck.show_dialog(EarlierResults(deck.bridge))
    if result is not None:
        await open_result(deck, result.session_id, result.name or result.command)


async def open_result(deck: Deck, session_id: str, name: str) -> bool:
    """Open a job's tab, read back from its receipt if the engine has it no more; False if there is nothing left."""
    if deck.store.job(session_id) is None:
        answer = await deck.bridge.ask(deck.bridge.engine.recall(session_id))
        if isinstance(answer, Refused):
            deck.say(f"{clean_line(name, 40)} can't be opened: {answer.error}", severity="warning")
            return False
    deck.open_when_known(session_id)
    deck.focus_pane()
    return True


async def while_away(deck: Deck) -> None:
    """List what became of jobs while nobody was there, and open what is chosen."""
    deck.away.fresh = False
    deck.away_line.tell()
    fate = await deck.show_dialog(WhileAway(deck.away.fates))
    if fate is not None:
        await open_result(deck, fate.session_id, fate.name or fate.command)


ACTIONS = {
    "results.open": Action(earlier, opens=True),
    "view.away": Action(while_away, lambda deck: len(deck.away) > 0, opens=True),
}
