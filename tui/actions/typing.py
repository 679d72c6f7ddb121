"""Type mode: keys straight to a job's terminal, and back."""

from tui.actions.naming import named, says_ended
from tui.actions.registry import Action, Deck, has_target
from tui.keymap import BY_ID, key_name


def type_in(deck: Deck) -> None:
    """Every key goes to the job from here on; or say why it can't."""
    slot = deck.target()
    if slot is None or says_ended(deck, slot):
        return
    if not slot.job.accepts_input:
        deck.say(f"{named(slot)} has no input: start it with a terminal, or with stdin as a pipe", severity="warning")
        return
    if not slot.job.pty:
        line = key_name(BY_ID["job.submit"].keys[0])
        deck.say(f"{named(slot)} reads lines from a pipe, not keys: {line} sends one", severity="warning")
        return
    deck.area.open(slot.id)
    deck.focus_pane()
    pane = deck.area.pane_of(slot.id)
    if pane is not None:
        deck.typist.begin(pane, deck.bridge)


def leave(deck: Deck) -> None:
    """Keys act on the console again."""
    deck.typist.leave()


def _takes_keys(deck: Deck) -> bool:
    slot = deck.target()
    return slot is not None and slot.live and slot.job.accepts_input and slot.job.pty


ACTIONS = {
    "job.type": Action(type_in, has_target, offered=_takes_keys),
    "type.leave": Action(leave, lambda deck: deck.typist.pane is not None),
}
