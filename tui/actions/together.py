"""Verbs on several jobs at once, those that are marked: one question for all of them, one word about all of them."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from engine import Call, EngineGone, SpecError, StartError
from engine.results import Killed, Refused, Survivor
from tui.actions.naming import named
from tui.actions.registry import Deck
from tui.keymap import BY_ID, key_name
from tui.screens.confirm import Confirm
from tui.screens.send_signal import SendSignal
from tui.screens.survivors import Survivors
from tui.show.ages import span
from tui.show.hosts import may_run_there
from tui.show.results import only_masked
from tui.store import Slot

LONG_RUN_SECONDS = 600
"""A job that has run longer than this isn't ended without asking."""
_LISTED = 4
"""So many are called by their names."""

T = TypeVar("T")
Failed = list[tuple[Slot, str]]


def names(slots: Sequence[Slot]) -> str:
    """``api, web and 3 more``."""
    listed = ", ".join(named(slot) for slot in slots[:_LISTED])
    return listed + (f" and {len(slots) - _LISTED} more" if len(slots) > _LISTED else "")


async def sure(deck: Deck, slots: Sequence[Slot], verb: str) -> bool:
    """Ask once, if any of them has run for long; who isn't asked about is done with them."""
    now = time.time()
    ran = {slot.id: now - slot.job.started_at for slot in slots if slot.live and not slot.ending}
    old = [slot for slot in slots if ran.get(slot.id, 0.0) > LONG_RUN_SECONDS]
    if not old:
        return True
    longest = span(max(ran[slot.id] for slot in old))
    if len(slots) == 1:
        question, detail = f"{verb} {named(slots[0])}?", f"It has run for {longest}."
    else:
        question = f"{verb} {len(slots)} jobs?"
        long = f"{len(old)} of them have" if len(old) > 1 else f"{named(old[0])} has"
        detail = f"{names(slots)}.\n{long} run for over 10 minutes, at most {longest}."
    return bool(await deck.show_dialog(Confirm(question, detail, verb)))


async def kill(deck: Deck, slots: Sequence[Slot], *, now: bool) -> None:
    """End their trees, all at the same time."""
    there = [slot for slot in slots if slot.live or slot.job.waits or may_run_there(slot.job)]
    if not there:
        deck.say(f"None of the {len(slots)} marked jobs runs")
        return
    if not await sure(deck, there, "Kill"):
        return
    fresh = [slot for slot in there if slot.kill_asked != slot.job.session_id]
    for slot in fresh:
        slot.kill_asked = slot.job.session_id
    engine = deck.bridge.engine
    answers, failed = await _ask(deck, there, lambda slot: engine.kill(slot.job.session_id, now=now))
    for slot in fresh:
        slot.kill_asked = ""
    alive = [(slot, told.error or "it could not be ended") for slot, told in answers if _stayed(told) is None]
    stubborn = [(slot, stayed) for slot, told in answers if (stayed := _stayed(told)) and slot in fresh]
    ended = [slot for slot, told in answers if told.status != "error" and slot in fresh]
    left = sum(len(told.escaped) for _, told in answers)
    if ended:
        got_away = f" · {left} processes got away" if left else ""
        deck.say(f"⊘ {len(ended)} killed: {names(ended)}{got_away} · {_key('job.restart')} starts them again")
    _say_failed(deck, "not killed", [*failed, *alive])
    again = [slot for slot, _ in stubborn]
    if again and await deck.show_dialog(Survivors(names(again), [one for _, stayed in stubborn for one in stayed])):
        await kill(deck, again, now=True)


def _stayed(told: Killed) -> tuple[Survivor, ...] | None:
    """Who of a job's tree is still there; None: nobody can say."""
    return told.survivors or None if told.status == "error" else ()


async def restart(deck: Deck, slots: Sequence[Slot]) -> None:
    """Start them again, each in its row and tab."""
    masked = [(slot, "only its masked command is known: restart it alone") for slot in slots if only_masked(slot.job)]
    able = [slot for slot in slots if not only_masked(slot.job) and not slot.local]
    masked += [(slot, "it never started: restart it alone") for slot in slots if slot.local]
    if able and not await sure(deck, able, "Restart"):
        return
    engine = deck.bridge.engine
    answers, failed = await _ask(deck, able, lambda slot: engine.restart(slot.job.session_id))
    if answers:
        begun = [slot for slot, _ in answers]
        deck.say(f"● {len(begun)} started again: {names(begun)} · {_key('job.kill')} kills them")
    _say_failed(deck, "not started again", [*failed, *masked])


async def send_signal(deck: Deck, slots: Sequence[Slot]) -> None:
    """Choose one signal and send it to all that run."""
    live = [slot for slot in slots if slot.live]
    if not live:
        deck.say(f"None of the {len(slots)} marked jobs runs")
        return
    chosen = await deck.show_dialog(SendSignal(f"{len(live)} jobs: {names(live)}"))
    if chosen is None:
        return
    engine = deck.bridge.engine
    answers, failed = await _ask(deck, live, lambda slot: engine.signal(slot.job.session_id, chosen))
    if answers:
        deck.say(f"SIG{chosen} sent to {names([slot for slot, _ in answers])}")
    _say_failed(deck, "got no signal", failed)


async def toggle_notify(deck: Deck, slots: Sequence[Slot]) -> None:
    """Tell of all their ends; if that is so already, of none."""
    wanted = not all(slot.job.notify_on_complete for slot in slots)
    others = [slot for slot in slots if slot.job.notify_on_complete != wanted]
    engine = deck.bridge.engine
    answers, failed = await _ask(deck, others, lambda slot: engine.set_notify(slot.job.session_id, wanted))
    if answers and wanted:
        deck.say(f"You will be told when they end: {names(slots)}")
    elif answers:
        deck.say(f"They will end without a word: {names(slots)}; the feed has it all the same")
    _say_failed(deck, "stay as they are", failed)


async def dismiss(deck: Deck, slots: Sequence[Slot]) -> None:
    """Take those that have ended off the list, with their tabs."""
    over = [slot for slot in slots if not slot.live and not slot.job.waits]
    local = [slot for slot in over if slot.local]
    for slot in local:
        deck.store.forget(slot.id)
    engine = deck.bridge.engine
    known = [slot for slot in over if not slot.local]
    answers, failed = await _ask(deck, known, lambda slot: engine.dismiss(slot.job.session_id))
    for slot in (*local, *(slot for slot, _ in answers)):
        await deck.area.close(slot.id)
    if local:
        deck.stack.put(deck.store)
    _say_failed(deck, "stay on the list", failed)


async def _ask(
    deck: Deck, slots: Sequence[Slot], call: Callable[[Slot], Call[T | Refused]]
) -> tuple[list[tuple[Slot, T]], Failed]:
    """Ask the same of all at once: what was answered, and who was refused, with the reason."""

    async def one(slot: Slot) -> T | Refused | str:
        try:
            return await deck.bridge.ask(call(slot))
        except (SpecError, StartError, EngineGone) as error:
            return str(error)

    answers: list[tuple[Slot, T]] = []
    failed: Failed = []
    for slot, answer in zip(slots, await asyncio.gather(*(one(slot) for slot in slots)), strict=True):
        if isinstance(answer, Refused):
            failed.append((slot, answer.error))
        elif isinstance(answer, str):
            failed.append((slot, answer))
        else:
            answers.append((slot, answer))
    return answers, failed


def _say_failed(deck: Deck, what: str, failed: Failed) -> None:
    if failed:
        slot, why = failed[0]
        others = f" · {len(failed) - 1} more: {names([slot for slot, _ in failed[1:]])}" if len(failed) > 1 else ""
        deck.say(f"{what}: {named(slot)}: {why}{others}", severity="error")


def _key(action_id: str) -> str:
    return key_name(BY_ID[action_id].keys[0])
