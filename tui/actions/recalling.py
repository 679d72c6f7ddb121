"""Results of jobs that are over: listed, and opened as panes."""

from pathlib import Path

from engine.results import Refused
from tui.actions.registry import Action, Deck
from tui.screens.away import WhileAway
from tui.screens.reading import Reading
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
    if not deck.away:
        deck.say("No jobs were left by an earlier jobdeck")
        return
    deck.away.fresh = False
    deck.away_line.tell()
    fate = await deck.show_dialog(WhileAway(deck.away.fates))
    if fate is not None:
        await open_result(deck, fate.session_id, fate.name or fate.command)


async def why_unsaved(deck: Deck) -> None:
    """Say what is wrong with the disk, what it means and what to do."""
    lines = [(text, "$foreground") for text in deck.saving.troubles]
    log = Path(deck.saving.home) / "logs" / "jobdeck.log"
    said = [
        ("", ""),
        ("Jobs run on, and nothing is lost while jobdeck runs: results are kept in memory and tried again.", "$quiet"),
        ("Until then a crash of jobdeck would lose them, and the layout isn't remembered.", "$quiet"),
        (f"More is in {log}" if log.exists() else "The log can't be written there either.", "$quiet"),
    ]
    await deck.show_dialog(Reading("Results can't be saved", [*lines, *said]))


ACTIONS = {
    "view.saving": Action(why_unsaved, lambda deck: len(deck.saving) > 0, opens=True),
    "results.open": Action(earlier, opens=True),
    "view.away": Action(while_away, opens=True, offered=lambda deck: len(deck.away) > 0),
}
