"""What is done to a job: start, kill, restart, dismiss."""

from collections.abc import Sequence

from engine import SpecError, StartError
from engine.results import Refused
from tui.actions import together
from tui.actions.ending import left_words, tell_survivors
from tui.actions.naming import named, says_ended
from tui.actions.registry import Action, Deck, has_target
from tui.drafts import Draft
from tui.keymap import BY_ID, key_name
from tui.screens.new_job import NewJob
from tui.show.hosts import may_run_there
from tui.show.results import only_masked
from tui.store import Slot


async def add(deck: Deck) -> None:
    """Ask for a command and start it at the size its pane will have."""
    await _ask_for_job(deck)


async def _ask_for_job(deck: Deck) -> None:
    session_id = await deck.show_dialog(NewJob(deck.bridge, deck.area.terminal_size(), deck.drafts))
    if isinstance(session_id, str):
        deck.open_when_known(session_id)
        deck.focus_pane()


async def kill(deck: Deck) -> None:
    """End the job's tree with grace."""
    await _kill(deck, deck.targets(), now=False)


async def kill_now(deck: Deck) -> None:
    """End the job's tree at once."""
    await _kill(deck, deck.targets(), now=True)


async def _kill(deck: Deck, slots: Sequence[Slot], *, now: bool) -> None:
    if len(slots) > 1:
        await together.kill(deck, slots, now=now)
    for slot in slots if len(slots) == 1 else ():
        await _kill_one(deck, slot, now=now)


async def _kill_one(deck: Deck, slot: Slot, *, now: bool) -> None:
    if not (slot.job.waits or may_run_there(slot.job)) and says_ended(deck, slot):
        return
    if not await together.sure(deck, [slot], "Kill"):
        return
    name, job = named(slot), slot.job
    first, slot.kill_asked = slot.kill_asked != job.session_id, job.session_id
    answer = await deck.bridge.ask(deck.bridge.engine.kill(job.session_id, now=now))
    if not first:
        return  # the first to ask tells how it went
    slot.kill_asked = ""
    again = key_name(BY_ID["job.restart"].keys[0])
    if isinstance(answer, Refused):
        deck.say(f"{name} was not killed: {answer.error}", severity="error")
    elif answer.status == "error":
        if await tell_survivors(deck, slot, answer):
            await _kill_one(deck, slot, now=True)
    elif answer.status == "already_exited" and not slot.live:
        deck.say(f"{name} isn't started again by itself · {again} starts it again")
    elif answer.status == "killed" and not slot.job.has_run:
        deck.say(f"{name} was called off · {again} starts it")
    elif answer.status == "killed":
        deck.say(f"⊘ {name} killed{left_words(answer)} · {again} starts it again")


async def restart(deck: Deck) -> None:
    """Start the job again in its row and tab."""
    slots = deck.targets()
    if len(slots) > 1:
        await together.restart(deck, slots)
    for slot in slots if len(slots) == 1 else ():
        await _restart_one(deck, slot)


async def _restart_one(deck: Deck, slot: Slot) -> None:
    if not await together.sure(deck, [slot], "Restart"):
        return
    name, again = named(slot), " again" if slot.job.has_run else ""
    if only_masked(slot.job):
        # Its command is known masked, its environment not at all: the operator is to see what will run.
        job = slot.job
        deck.drafts.new_job = Draft(job.command, job.name, job.cwd, job.pty, keep=job.persist_on_release)
        await _ask_for_job(deck)
        return
    if slot.local:
        deck.store.forget(slot.id)
        await deck.area.close(slot.id)
        deck.start_line(slot.job.command)
        return
    try:
        answer = await deck.bridge.ask(deck.bridge.engine.restart(slot.job.session_id))
    except (SpecError, StartError) as error:
        deck.say(f"{name} was not started{again}: {error}", severity="error")
        return
    if isinstance(answer, Refused) and slot.job.waits and not slot.live:
        deck.say(f"{name} was not started yet: it {slot.job.waits} · it starts by itself as soon as it may")
    elif isinstance(answer, Refused):
        deck.say(f"{name} was not started{again}: {answer.error}", severity="error")
    else:
        deck.say(f"● {name} started{again} · {key_name(BY_ID['job.kill'].keys[0])} kills it")


async def dismiss(deck: Deck) -> None:
    """Take what has finished of these jobs off the list."""
    await together.dismiss(deck, deck.targets())


async def dismiss_finished(deck: Deck) -> None:
    """Take all finished jobs off the list."""
    await together.dismiss(deck, list(deck.store))


def _target_ended(deck: Deck) -> bool:
    return any(not slot.live and not slot.job.waits for slot in deck.targets())


def _target_runs(deck: Deck) -> bool:
    return any((slot.live or bool(slot.job.waits)) and not slot.ending for slot in deck.targets())


def _target_ends(deck: Deck) -> bool:
    return any(slot.ending for slot in deck.targets())


ACTIONS = {
    "job.add": Action(add, opens=True),
    "job.kill": Action(kill, has_target, offered=_target_runs),
    "job.kill_now": Action(kill_now, has_target, offered=_target_ends),
    "job.restart": Action(restart, has_target),
    "job.dismiss": Action(dismiss, _target_ended),
    "job.dismiss_finished": Action(dismiss_finished, lambda deck: any(not slot.live for slot in deck.store)),
}
