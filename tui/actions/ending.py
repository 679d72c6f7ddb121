"""Signals, what got away from a job, and what is said of a kill."""

from engine.results import Killed, Refused
from tui.actions import together
from tui.actions.naming import named, says_ended
from tui.actions.registry import Action, Deck, has_target
from tui.keymap import BY_ID, key_name
from tui.screens.confirm import Confirm
from tui.screens.send_signal import SendSignal
from tui.screens.survivors import Survivors
from tui.show.cleaning import clean_line
from tui.store import Slot

LISTED = 6


async def send_signal(deck: Deck) -> None:
    """Choose a signal and send it."""
    slots = deck.targets()
    if len(slots) > 1:
        await together.send_signal(deck, slots)
        return
    slot = next(iter(slots), None)
    if slot is None or says_ended(deck, slot):
        return
    chosen = await deck.show_dialog(SendSignal(named(slot)))
    if chosen is None:
        return
    answer = await deck.bridge.ask(deck.bridge.engine.signal(slot.job.session_id, chosen))
    if isinstance(answer, Refused):
        deck.say(f"{named(slot)} got no signal: {answer.error}", severity="error")
    else:
        deck.say(f"SIG{chosen} sent to {named(slot)}")


async def end_escaped(deck: Deck) -> None:
    """Ask, then end what the job left behind."""
    slot = deck.target()
    if slot is None or not slot.job.escaped:
        return
    left = slot.job.escaped
    lines = [f"{one.pid}  {clean_line(one.command, 60)}" for one in left[:LISTED]]
    lines += [f"and {len(left) - LISTED} more"] if len(left) > LISTED else []
    lines.append("They left the job by themselves; others may be using them.")
    if not await deck.show_dialog(Confirm(f"End what {named(slot)} left behind?", "\n".join(lines), "End")):
        return
    answer = await deck.bridge.ask(deck.bridge.engine.kill(slot.job.session_id, escaped=True))
    if isinstance(answer, Refused):
        deck.say(f"nothing was ended: {answer.error}", severity="error")
    elif answer.status == "error":
        await tell_survivors(deck, slot, answer)
    else:
        deck.say(f"ended: {', '.join(str(one.pid) for one in answer.escaped_ended) or 'they had ended already'}")


async def tell_survivors(deck: Deck, slot: Slot, answer: Killed) -> bool:
    """Say who could not be ended and what to do about it; true: kill them again."""
    if not answer.survivors:
        deck.say(f"{named(slot)} could not be ended: {answer.error}", severity="error")
        return False
    return bool(await deck.show_dialog(Survivors(named(slot), answer.survivors)))


def left_words(answer: Killed) -> str:
    """That a kill passed some by, and the key that ends them; empty when there are none."""
    if not answer.escaped:
        return ""
    return f" · {len(answer.escaped)} got away, {key_name(BY_ID['job.end_escaped'].keys[0])} ends them"


def _target_left_some(deck: Deck) -> bool:
    slot = deck.target()
    return slot is not None and bool(slot.job.escaped)


ACTIONS = {
    "job.signal": Action(send_signal, has_target, opens=True),
    "job.end_escaped": Action(end_escaped, _target_left_some, opens=True),
}
