"""How actions speak of a job."""

from tui.actions.registry import Deck
from tui.keymap import BY_ID, key_name
from tui.show.cleaning import clean_line
from tui.store import Slot


def named(slot: Slot) -> str:
    """A job's name for a sentence."""
    return clean_line(slot.job.name or slot.job.command, 40)


def says_ended(deck: Deck, slot: Slot) -> bool:
    """If the job has ended: say so, and what starts it again."""
    again = key_name(BY_ID["job.restart"].keys[0])
    if not slot.job.has_run:
        deck.say(f"{named(slot)} isn't running; {again} starts it")
    elif not slot.live:
        deck.say(f"{named(slot)} has ended; {again} starts it again")
    return not slot.live
