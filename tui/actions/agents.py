"""What agents do: shown, steered, and read."""

from tui.actions.recalling import open_result
from tui.actions.registry import Action, Deck
from tui.screens.agents import AgentWork


async def open_agents(deck: Deck) -> None:
    """Show batches and background agents, and open what is chosen."""
    if not deck.batches:
        deck.say("No agent does anything here: jobdeck delegate TASK… has some do tasks")
        return
    deck.batches.read()
    deck.batches_line.tell()
    session_id = await deck.show_dialog(AgentWork(deck.bridge, deck.batches))
    deck.batches.read()  # what came meanwhile was seen
    deck.batches_line.tell()
    if session_id:
        await open_result(deck, session_id, session_id)


ACTIONS = {"agents.open": Action(open_agents, opens=True, offered=lambda deck: len(deck.batches) > 0)}
