"""Dialogs in small terminals: what is too long scrolls, the buttons stay in sight."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest
from textual.screen import ModalScreen
from textual.widgets import Button

from engine import GoalSpec
from engine.events import Fate
from engine.results import GoalSaid, Survivor
from tui.screens.away import WhileAway
from tui.screens.confirm import Confirm
from tui.screens.edit_watches import EditWatches
from tui.screens.engine_died import EngineDied
from tui.screens.goal import GoalTurns
from tui.screens.new_goal import NewGoal
from tui.screens.new_job import NewJob
from tui.screens.quit import Quit
from tui.screens.reading import Reading
from tui.screens.results import EarlierResults
from tui.screens.survivors import Survivors
from tui.screens.wait_on import WaitOn
from tui.store import Slot

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

LONG = "this is said in more words than a small terminal has room for, and goes on and on. " * 12
Make = Callable[["Console", Slot, str], ModalScreen[Any]]


JUDGE = f"""echo '{{"verdict": "wait", "wait_for_seconds": 600, "reason": "{"not yet " * 20}"}}'"""


def survivor(pid: int) -> Survivor:
    return Survivor(pid=pid, command="sleep " * 12, why="it sleeps where no signal reaches it")


def fate(number: int) -> Fate:
    return Fate(session_id=f"proc_{number}", name=f"job {number}", command="x", owner="", fate="lost", text=LONG)


DIALOGS: dict[str, Make] = {
    "confirm": lambda shown, slot, goal: Confirm("Kill it?", LONG, "Kill"),
    "engine_died": lambda shown, slot, goal: EngineDied(),
    "reading": lambda shown, slot, goal: Reading("⚑ api", [(LONG, "$foreground")], "Go to line"),
    "survivors": lambda shown, slot, goal: Survivors("api", [survivor(pid) for pid in range(9)]),
    "edit_watches": lambda shown, slot, goal: EditWatches(shown.deck.bridge, shown.deck.drafts, slot),
    "new_job": lambda shown, slot, goal: NewJob(shown.deck.bridge, (80, 24), shown.deck.drafts),
    "new_goal": lambda shown, slot, goal: NewGoal(shown.deck.bridge, shown.deck.drafts),
    "wait_on": lambda shown, slot, goal: WaitOn(shown.deck.bridge, shown.deck.store, shown.deck.signals.waits, slot),
    "wait_for": lambda shown, slot, goal: WaitOn(shown.deck.bridge, shown.deck.store, shown.deck.signals.waits, None),
    "quit": lambda shown, slot, goal: Quit(shown.deck.bridge, shown.deck.store, shown.deck.signals.waits),
    "away": lambda shown, slot, goal: WhileAway([fate(number) for number in range(9)]),
    "results": lambda shown, slot, goal: EarlierResults(shown.deck.bridge),
    "goal": lambda shown, slot, goal: GoalTurns(
        shown.deck.bridge, shown.deck.signals.waits, goal, shown.deck.store.name_of
    ),
}


@pytest.mark.parametrize("size", [(50, 20), (80, 24)])
async def test_the_buttons_of_every_dialog_are_in_sight(console: "Opened", size: tuple[int, int]) -> None:
    async with console(size=size) as shown:
        slot = await shown.start("sleep 1000", name="api", watch_patterns=("ERROR", "WARN", "/panic/"))
        for number in range(9):
            await shown.start("sleep 1000", name=f"job {number}", open_tab=False)
        spec = GoalSpec(goal="the goal " * 20, step="false " + "x" * 120, judge=JUDGE)
        said = shown.engine.goal_start(spec).result()
        assert isinstance(said, GoalSaid)
        goal = said.goal.goal_id
        await shown.until(shown.deck.signals.waits.parked)
        for name, make in DIALOGS.items():
            dialog = make(shown, slot, goal)
            shown.app.push_screen(dialog)
            await shown.until(lambda: shown.app.screen is dialog and dialog.is_mounted)  # noqa: B023
            await shown.pilot.pause()
            await shown.pilot.pause()
            frame = dialog.query_one(".dialog").content_region
            for button in dialog.query(Button):
                if button.display:
                    assert button.region.area and frame.contains_region(button.region), f"{name}: {button.label}"
            shown.app.pop_screen()


async def test_what_is_too_long_for_the_terminal_is_scrolled_by_keys(console: "Opened") -> None:
    async with console(size=(50, 20)) as shown:
        shown.app.push_screen(Reading("⚑ api", [(LONG + "the end", "$foreground")]))
        await shown.until(lambda: "⚑ api" in shown.screen_text() and "Close" in shown.screen_text())
        assert "the end" not in shown.screen_text()
        await shown.press("end")
        await shown.until(lambda: "the end" in shown.screen_text() and "Close" in shown.screen_text())
