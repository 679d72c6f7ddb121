"""What is waited for: a wait set, lifted, gone to; goals begun, paused, cleared."""

from collections.abc import Callable

from engine import Call, EngineApi
from engine.results import GoalSaid, Refused
from engine.waiting import BarrierView, GoalView
from tui.actions.reading import read_wait
from tui.actions.registry import Action, Deck
from tui.actions.scrolling import moves
from tui.screens.goal import GoalTurns
from tui.screens.new_goal import NewGoal
from tui.screens.wait_on import WaitOn
from tui.show.waits import awaited, waiter
from tui.signals.waits import Item, Released
from tui.store import Slot

GoalVerb = Callable[[EngineApi, str], Call[GoalSaid | Refused]]


async def wait_on(deck: Deck) -> None:
    """Ask what of the job, or what else, is waited for, and what happens then."""
    await _ask(deck, deck.target())


async def new(deck: Deck) -> None:
    """A new wait on anything, or a goal."""
    await _ask(deck, None)


async def _ask(deck: Deck, slot: Slot | None) -> None:
    answer = await deck.show_dialog(WaitOn(deck.bridge, deck.store, deck.signals.waits, slot))
    if answer == "goal":
        await new_goal(deck)
    elif isinstance(answer, BarrierView):
        name = deck.store.name_of(answer.session_id) if answer.session_id else ""
        deck.say(f"◷ {waiter(answer)}: {awaited(answer, name)}")


async def new_goal(deck: Deck) -> None:
    """Ask for an objective, its step and its judge."""
    goal = await deck.show_dialog(NewGoal(deck.bridge, deck.drafts))
    if isinstance(goal, GoalView):
        deck.say(f"● goal “{goal.goal}” goes on until it is done, {goal.max_turns} turns at most")


async def go(deck: Deck) -> None:
    """To the job that is waited for; a goal's turns; what has neither is read."""
    item = deck.signals.wait_panel.item
    if isinstance(item, GoalView):
        session_id = await deck.show_dialog(
            GoalTurns(deck.bridge, deck.signals.waits, item.goal_id, deck.store.name_of)
        )
        if isinstance(session_id, str) and session_id:
            _open(deck, session_id)
        return
    session_id = _job_of(item)
    if session_id:
        _open(deck, session_id)
    else:
        await read(deck)


async def read(deck: Deck) -> None:
    """Read all of the selected wait."""
    item = deck.signals.wait_panel.item
    if isinstance(item, GoalView):
        await go(deck)
    elif item is not None and await read_wait(deck, item):
        _open(deck, _job_of(item))


def _job_of(item: Item | None) -> str:
    if isinstance(item, Released):
        return item.release.then_session_id or item.barrier.session_id
    return item.session_id if isinstance(item, BarrierView) else ""


def _open(deck: Deck, session_id: str) -> None:
    slot = deck.store.job(session_id)
    if slot is None:
        deck.say("That job is no longer on the list", severity="warning")
        return
    deck.area.open(slot.id)
    deck.stack.select(slot.id)
    deck.focus_pane()


async def lift(deck: Deck) -> None:
    """Wait for it no more; a goal goes on at once."""
    barrier = _barrier(deck)
    if barrier is None:
        return
    answer = await deck.bridge.ask(deck.bridge.engine.lift(barrier.barrier_id))
    if isinstance(answer, Refused):
        deck.say(f"Not lifted: {answer.error}", severity="warning")
    else:
        deck.say(f"Lifted: {waiter(barrier)}" + (" · its goal goes on" if barrier.goal_id else ""))


def _barrier(deck: Deck) -> BarrierView | None:
    item = deck.signals.wait_panel.item
    if isinstance(item, GoalView):
        return deck.signals.waits.barrier_of(item) if item.status == "active" else None
    return item if isinstance(item, BarrierView) else None


def _goal(deck: Deck) -> GoalView | None:
    item = deck.signals.wait_panel.item
    return item if isinstance(item, GoalView) else None


def _on_goal(verb: GoalVerb, told: str, *states: str) -> Action:
    async def run(deck: Deck) -> None:
        goal = _goal(deck)
        if goal is None:
            return
        answer = await deck.bridge.ask(verb(deck.bridge.engine, goal.goal_id))
        if isinstance(answer, Refused):
            deck.say(f"goal “{goal.goal}”: {answer.error}", severity="warning")
        else:
            deck.say(f"goal “{goal.goal}” {told}")

    def can(deck: Deck) -> bool:
        goal = _goal(deck)
        return goal is not None and goal.status in states

    return Action(run, can)


def _has_item(deck: Deck) -> bool:
    return deck.signals.wait_panel.item is not None


def _parked_goal(deck: Deck) -> bool:
    return _goal(deck) is not None and _barrier(deck) is not None


ACTIONS = {
    "job.wait": Action(wait_on, lambda deck: not deck.in_signals, opens=True),
    "barriers.new": Action(new, opens=True),
    "barriers.go": Action(go, _has_item),
    "barriers.read": Action(read, _has_item, opens=True),
    "barriers.lift": Action(lift, lambda deck: _barrier(deck) is not None),
    **moves("barriers", lambda deck: deck.signals.wait_panel),
    "goal.new": Action(new_goal, opens=True),
    "goal.pause": _on_goal(lambda engine, goal_id: engine.goal_pause(goal_id), "is paused", "active"),
    "goal.resume": _on_goal(lambda engine, goal_id: engine.goal_resume(goal_id), "goes on", "paused"),
    "goal.clear": _on_goal(
        lambda engine, goal_id: engine.goal_clear(goal_id), "is cleared", "active", "paused", "done"
    ),
    "goal.unwait": Action(lift, _parked_goal),
}
