"""What a job's output is watched for, and whether its end is told."""

from engine.results import Refused
from tui.actions import together
from tui.actions.naming import named
from tui.actions.registry import Action, Deck, has_target
from tui.screens.edit_watches import EditWatches


async def edit(deck: Deck) -> None:
    """Edit the job's watch patterns."""
    slot = deck.target()
    if slot is None:
        return
    patterns = await deck.show_dialog(EditWatches(deck.bridge, deck.drafts, slot))
    if patterns is not None:
        many = f"{len(patterns)} pattern{'s' * (len(patterns) != 1)}"
        deck.say(f"{named(slot)} is watched for {many}" if patterns else f"{named(slot)} is no longer watched")


async def toggle_notify(deck: Deck) -> None:
    """Tell of the job's end, or don't."""
    slots = deck.targets()
    if len(slots) > 1:
        await together.toggle_notify(deck, slots)
        return
    slot = next(iter(slots), None)
    if slot is None:
        return
    wanted = not slot.job.notify_on_complete
    answer = await deck.bridge.ask(deck.bridge.engine.set_notify(slot.job.session_id, wanted))
    if isinstance(answer, Refused):
        deck.say(f"{named(slot)}: {answer.error}", severity="warning")
    elif wanted:
        deck.say(f"You will be told when {named(slot)} ends")
    else:
        deck.say(f"{named(slot)} will end without a word; the feed has it all the same")


ACTIONS = {
    "job.watch": Action(edit, has_target, opens=True),
    "job.notify": Action(toggle_notify, has_target),
}
