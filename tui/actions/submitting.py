"""What is sent to a job's input: a line, pasted lines, raw text, the end of it."""

from engine.results import Refused
from tui.actions.naming import named, says_ended
from tui.actions.registry import Action, Deck, has_target
from tui.screens.confirm import Confirm
from tui.show.cleaning import clean_line
from tui.store import Slot

LISTED = 8
"""So many pasted lines are shown before they are sent."""


def submit(deck: Deck) -> None:
    """Open the prompt for a line of input; or say why there is none to send it to."""
    _ask(deck, raw=False)


def write(deck: Deck) -> None:
    """The same for text that is written as it is, with escapes."""
    _ask(deck, raw=True)


def _ask(deck: Deck, *, raw: bool) -> None:
    slot = deck.target()
    if slot is None or says_ended(deck, slot):
        return
    if not slot.job.accepts_input:
        deck.say(f"{named(slot)} has no input: start it with a terminal, or with stdin as a pipe", severity="warning")
        return
    deck.area.open(slot.id)
    deck.prompt.ask(slot.id, slot.job.name or slot.job.command, secret=slot.job.hides_input, raw=raw)


async def send(deck: Deck, slot_id: str, text: str, *, secret: bool, raw: bool = False) -> bool:
    """Send what was typed in the prompt; True if it was taken. A secret isn't kept when it wasn't."""
    slot = deck.store.get(slot_id)
    why = "the job has ended"
    if slot is not None and slot.live:
        send_it = deck.bridge.engine.write if raw else deck.bridge.engine.submit
        answer = await deck.bridge.ask(send_it(slot.job.session_id, text))
        if not isinstance(answer, Refused):
            return True
        why = answer.error
    if not secret:
        deck.prompt.give_back(slot_id, text, raw=raw)
    deck.say(f"Not sent: {why}", severity="warning")
    return False


async def send_lines(deck: Deck, slot_id: str, lines: list[str], *, secret: bool) -> None:
    """Send pasted lines, if that is what is wanted."""
    slot = deck.store.get(slot_id)
    if slot is None:
        return
    shown = [] if secret else [f"  {clean_line(line, 60)}" for line in lines[:LISTED]]
    if len(lines) > LISTED and not secret:
        shown.append(f"  and {len(lines) - LISTED} more")
    question = f"Send {len(lines)} lines to {named(slot)}?"
    if not await deck.show_dialog(Confirm(question, "\n".join(shown) or "They are not shown.", "Send")):
        return
    deck.prompt.close()
    for number, line in enumerate(lines):
        if not await send(deck, slot_id, line, secret=secret):
            if number:
                deck.say(f"{number} of {len(lines)} lines were sent", severity="warning")
            return


async def end_input(deck: Deck) -> None:
    """Send end-of-file."""
    slot = deck.target()
    if slot is not None:
        await end_input_of(deck, slot)


async def end_input_of(deck: Deck, slot: Slot) -> None:
    """Send end-of-file to this job."""
    answer = await deck.bridge.ask(deck.bridge.engine.close(slot.job.session_id))
    if isinstance(answer, Refused):
        deck.say(f"{named(slot)}: {answer.error}", severity="warning")
    else:
        deck.say(f"{named(slot)}: end of its input")


def _listens(deck: Deck) -> bool:
    slot = deck.target()
    return slot is not None and slot.live and slot.job.accepts_input


ACTIONS = {
    "job.submit": Action(submit, has_target, offered=_listens),
    "job.write": Action(write, has_target, offered=_listens),
    "job.end_input": Action(end_input, _listens),
}
