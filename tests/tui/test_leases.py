"""What is another's is shown with whose it is and until when; what can't be decided, with why (spec 3.6, 5.2)."""

import asyncio
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from waiting import PATIENCE

from engine import Caller, Engine, GoalSpec, JobSpec
from engine.events import GoalChanged
from engine.ownership.claimant import ourselves
from engine.results import GoalSaid, GoalsListed
from engine.waiting import GoalView
from tui.show.waits import hosted_by

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

WAITS = """echo '{"verdict": "wait", "wait_for_seconds": 600}'"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


async def test_a_pane_shows_which_agent_is_writing(console: "Opened") -> None:
    async with console(size=(160, 30)) as shown:
        agent = shown.engine.api(Caller("conv_abc"))
        job = (
            await asyncio.wrap_future(agent.spawn(JobSpec(command="cat", name="chat", stdin="pipe")).future)
        ).session_id
        await shown.until(lambda: shown.deck.store.job(job) is not None)
        slot = shown.deck.store.job(job)
        assert slot is not None
        shown.deck.area.open(slot.id)
        await shown.until(lambda: "chat" in shown.screen_text() and shown.deck.area.active == slot.id)
        assert "is writing" not in shown.screen_text()

        def writes() -> bool:
            agent.submit(job, "hello").result()  # again, as long as it isn't seen: it is told for ten seconds only
            return "agent conv_abc is writing to it" in shown.screen_text()

        await shown.until(writes)
        shown.engine.submit(job, "mine").result()
        await shown.until(lambda: "is writing to it" not in shown.screen_text())


async def test_a_goal_of_another_process_is_shown_with_its_host_and_its_lease(
    console: "Opened", engine: Engine, home: Path
) -> None:
    other = ourselves()._replace(host="build1", pid=4711)
    until = time.time() + 250
    with Engine() as host:
        said = host.goal_start(GoalSpec(goal="all green", step="true", judge=WAITS)).result()
        assert isinstance(said, GoalSaid)
        # Before that one lets go of it, or the console's engine would host it.
        connection = sqlite3.connect(home / "state.db", timeout=PATIENCE)
        with connection:
            row = (f"goal:{said.goal.goal_id}", str(other), until - 300, until)
            connection.execute("INSERT OR REPLACE INTO turn_leases VALUES (?, ?, ?, ?)", row)
        connection.close()
    async with console(size=(160, 40)) as shown:
        listed = await asyncio.wrap_future(shown.engine.goal_status().future)
        assert isinstance(listed, GoalsListed)
        (goal,) = listed.goals
        shown.engine.call(
            "tell", lambda: engine.registry.publish(lambda sequence, at: GoalChanged(sequence, at, goal))
        ).result()
        at = time.strftime("%H:%M:%S", time.localtime(until))
        await shown.until(lambda: "/20 · process 4711 on build1 until" in shown.screen_text())
        shown.deck.focus_signals("barriers")
        await shown.press("enter")
        await shown.until(lambda: shown.app.screen is not shown.deck)
        words = f"run by process 4711 on build1, whose lease lasts until {at}"
        await shown.until(lambda: words in shown.screen_text())


async def test_while_the_database_is_locked_the_goal_says_why_no_turn_runs(
    console: "Opened", home: Path, tmp_path: Path
) -> None:
    async with console(size=(160, 40)) as shown:
        step = "while test ! -e go; do sleep 0.05; done; false"
        said = shown.engine.goal_start(GoalSpec(goal="all green", step=step, cwd=str(tmp_path))).result()
        assert isinstance(said, GoalSaid)
        await shown.until(lambda: "its step runs" in shown.screen_text())
        locker = sqlite3.connect(home / "state.db", timeout=PATIENCE, isolation_level=None)
        locker.execute("BEGIN IMMEDIATE")
        (tmp_path / "go").touch()
        await shown.until(lambda: "no turn runs: " in shown.screen_text(), "why it stands still")
        await shown.until(lambda: any("another program keeps it locked" in toast for toast in shown.said))
        shown.deck.focus_signals("barriers")
        await shown.press("enter")
        await shown.until(lambda: shown.app.screen is not shown.deck and "fuser" in shown.screen_text())
        await shown.press("escape")
        locker.close()
        await shown.until(lambda: "no turn runs: " not in shown.screen_text(), "it goes on")


def test_that_a_lease_has_expired_is_said() -> None:
    now = time.time()
    goal = GoalView(
        goal_id="goal_1", goal="g", status="active", step="s", judge="j", turns_used=1, max_turns=2, created_at=now
    )
    assert hosted_by(goal, now) == ""
    lost = GoalView(
        **{name: getattr(goal, name) for name in goal.__struct_fields__} | {"host": "process 5", "lease_until": now - 1}
    )
    assert hosted_by(lost, now).startswith("the lease of process 5 expired at ")
    assert hosted_by(lost, now, short=True).startswith("lease expired ")
