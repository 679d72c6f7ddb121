"""Waits and goals on the screen: set, seen counting down, released by their own signal, lifted, gone to."""

import re
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Checkbox, Input, OptionList, Select
from waiting import PATIENCE

from engine import GoalSpec, JobSpec, Settings, WaitSpec
from engine.events import BarrierReleased, BarrierSet
from engine.results import GoalSaid
from engine.waiting import BarrierView, Release
from tui.screens.quit import Quit
from tui.signals.waits import HISTORY_ROWS, HISTORY_SECONDS, Waits
from tui.times import moment_of, seconds_in
from tui.widgets.signals import Place

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


def panel_text(shown: "Console") -> str:
    panel = shown.deck.signals.wait_panel
    return "\n".join(panel.render_line(y).text.rstrip(" ▐") for y in range(panel.size.height)).rstrip()


async def wait_dialog(shown: "Console", choice: str, **fields: str) -> None:
    """``b`` on the job, this choice, these fields, Enter."""
    await shown.dialog("b", "choices")
    dialog = shown.app.screen
    options = dialog.query_one("#choices", OptionList)
    words = [str(options.get_option_at_index(number).prompt) for number in range(options.option_count)]
    options.highlighted = next(number for number, word in enumerate(words) if choice in word)
    await shown.arrived()
    for name, text in fields.items():
        dialog.query_one(f"#{name}", Input).value = text
    await shown.press("enter")


async def test_a_wait_for_an_exit_runs_its_command_then(console: "Opened", tmp_path: Path) -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("read line; exit 0", name="build")
        await wait_dialog(shown, "its exit with 0", then=f"echo ran > {tmp_path}/ran; sleep 1000")
        await shown.until(lambda: "on build: exit 0" in panel_text(shown) and "then echo ran" in panel_text(shown))
        await shown.until(lambda: "◷" in shown.stack_text() and "awaited by echo ran" in shown.stack_text())
        await shown.until(lambda: shown.app.screen is shown.deck and "◷ 1 waiting" in shown.screen_text())
        await shown.press("s", "enter")
        await shown.until(lambda: any("✓ wait on build: exit 0 · " in said for said in shown.said))
        await shown.until((tmp_path / "ran").exists)
        await shown.until(lambda: "✓ on build: exit 0 · exit 0 · then ran" in panel_text(shown))
        await shown.until(lambda: "waiting" not in shown.screen_text())
        shown.deck.focus_signals("barriers")
        await shown.press("enter")
        await shown.until(lambda: len(shown.deck.area.order) == 2, "the job of the command in a tab of its own")


async def test_a_wait_for_a_new_pattern_is_released_by_the_line(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start('read line; echo "got $line"; sleep 1000', name="api")
        await wait_dialog(shown, "new pattern", detail="/got [a-z]+ready/")
        await shown.until(lambda: "match “/got [a-z]+ready/”" in panel_text(shown))
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.press("s", *"isready", "enter")
        await shown.until(lambda: "✓ on api: match “/got [a-z]+ready/”" in panel_text(shown))
        await shown.until(lambda: any("got isready" in said for said in shown.said))


async def test_a_time_counts_down_only_while_it_can_be_seen_and_is_lifted(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 1000", name="api")
        panel = shown.deck.signals.wait_panel
        assert not panel.ticking
        await wait_dialog(shown, "a time", detail="1h30m")
        await shown.until(lambda: re.search(r"in 1:2\d:\d\d", panel_text(shown)))
        await shown.until(lambda: panel.ticking and shown.app.screen is shown.deck)
        await shown.press("h")
        await shown.until(lambda: not panel.ticking, "the clock to stand while it is folded")
        await shown.until(lambda: "◷ 1 wait " in shown.screen_text())
        await shown.press("h")
        await shown.until(lambda: panel.ticking)
        shown.deck.focus_signals("barriers")
        await shown.press("l")
        await shown.until(lambda: "lifted" in panel_text(shown))
        await shown.until(lambda: not panel.ticking)


async def test_what_cannot_be_waited_for_is_said_in_the_dialog_and_nothing_typed_is_lost(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 1000", name="api")
        await wait_dialog(shown, "a time", detail="soon", then="make deploy")
        await shown.until(lambda: "'soon' is no length of time" in shown.screen_text())
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await wait_dialog(shown, "new pattern", detail="/(/", then="make deploy")
        await shown.until(lambda: "✗ the watch pattern /(/" in shown.screen_text())
        assert shown.app.screen.query_one("#then", Input).value == "make deploy"
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        assert not shown.deck.signals.waits.parked()


async def test_a_goal_is_begun_in_its_dialog_and_its_turns_can_be_read(console: "Opened", tmp_path: Path) -> None:
    flag, count = tmp_path / "flag", tmp_path / "count"
    # From the third turn on a step waits: it has so many.
    waits = f"while test $(wc -l < {count}) -gt 2 -a ! -e {flag}; do sleep 0.05; done"
    step = f"echo x >> {count}; {waits}; test -e {flag}"
    async with console(size=(140, 40)) as shown:
        shown.deck.action_do("goal.new")
        await shown.until(lambda: shown.app.focused is not None and shown.app.focused.id == "goal")
        await shown.press("enter")
        await shown.until(lambda: "say what is to be reached" in shown.screen_text())
        await shown.type("the flag [is] up")
        shown.app.screen.query_one("#step", Input).value = step
        await shown.press("enter")
        await shown.until(lambda: "goal “the flag [is] up”" in panel_text(shown))
        await shown.until(lambda: count.exists() and count.read_text().count("x") >= 2)
        await shown.until(lambda: "judge: continue" in panel_text(shown))
        flag.touch()
        await shown.until(lambda: "✓ goal" in panel_text(shown))
        shown.deck.focus_signals("barriers")
        await shown.press("enter")
        await shown.until(lambda: "exit 1" in shown.screen_text() and "exit 0" in shown.screen_text())
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.pane is not None, "the newest turn's step in a pane")


async def test_o_turns_the_notice_on_and_off(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("read line", name="api")
        await shown.press("o")
        await shown.until(lambda: not slot.job.notify_on_complete)
        await shown.until(lambda: any("without a word" in said for said in shown.said))
        await shown.press("s", "enter")
        await shown.until(lambda: "✓ api" in shown.screen_text())
        await shown.until(lambda: not slot.live)
        assert not any("finished" in said for said in shown.said)


async def test_wrong_patterns_are_named_by_their_line_and_what_was_typed_is_kept(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000", name="api")
        await shown.dialog("e", "patterns")
        await shown.press(*"ERROR", "enter", *"/(/")
        await shown.until(lambda: "line 2: the watch pattern /(/" in shown.screen_text())
        await shown.press("ctrl+s")
        assert shown.app.screen is not shown.deck, "nothing was saved"
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.dialog("e", "patterns")
        await shown.until(lambda: "/(/" in shown.screen_text())
        await shown.press("backspace", "backspace", "backspace", *"/x/i", "ctrl+s")
        await shown.until(lambda: slot.job.watch_patterns == ("ERROR", "/x/i"))


async def test_a_new_job_is_watched_and_told_of_as_the_dialog_says(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.dialog("a", "command")
        await shown.type("echo ERROR at once; sleep 1000")
        shown.app.screen.query_one("#patterns").focus()
        await shown.press(*"ERROR")
        assert shown.app.screen.query_one("#notify", Checkbox).value
        await shown.press("ctrl+s")
        await shown.until(lambda: "⚑1" in shown.stack_text())
        (slot,) = shown.deck.store
        assert slot.job.watch_patterns == ("ERROR",) and slot.job.notify_on_complete


async def test_in_a_small_terminal_they_fold_to_a_line_and_tab_opens_them_over_the_pane(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        slot = await shown.start("echo ERROR [b]; sleep 1000", name="api", watch_patterns=("ERROR",))
        signals = shown.deck.signals
        await shown.until(lambda: signals.place is Place.FOLDED)
        await shown.until(lambda: "◷ 0 waits  ⚑ 1 hit  ⚑ api ERROR [b]" in shown.screen_text())
        await shown.until(lambda: tuple(shown.pane(slot).view.room) == (slot.job.cols, slot.job.rows))
        size = (slot.job.cols, slot.job.rows)
        await shown.press("tab", "tab")
        await shown.until(lambda: signals.place is Place.OVER and "WAITS" in shown.screen_text())
        await shown.until(lambda: "HITS" not in shown.screen_text())
        await shown.press("tab")
        await shown.until(lambda: "HITS" in shown.screen_text() and "WAITS" not in shown.screen_text())
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.pane_has_focus and signals.place is Place.FOLDED)
        await shown.pilot.pause(0.2)
        assert (slot.job.cols, slot.job.rows) == size, "what lies over a pane changes no terminal's size"


async def test_under_sixty_columns_one_thing_is_seen_at_a_time(console: "Opened") -> None:
    async with console(size=(50, 20)) as shown:
        slot = await shown.start("echo ERROR here; sleep 1000", name="api", watch_patterns=("ERROR",))
        await shown.until(lambda: "⚑ 1" in shown.screen_text())
        await shown.until(lambda: shown.pane(slot).view.is_attached)
        await shown.press("tab", "tab", "tab")
        await shown.until(lambda: "HITS" in shown.screen_text())
        await shown.until(lambda: "JOBS" not in shown.screen_text() and "WAITS" not in shown.screen_text())
        await shown.press("tab")
        await shown.until(lambda: "JOBS" in shown.screen_text() and "HITS" not in shown.screen_text())


def barrier(number: int) -> BarrierView:
    return BarrierView(barrier_id=f"wait_{number}", kind="time", since=0.0, reason=f"number {number}")


def test_what_is_past_stays_a_while_and_is_bounded() -> None:
    waits = Waits()
    release = Release(outcome="time", happened=True, text="it is time")
    now = time.time()
    waits.apply([BarrierSet(number, now, barrier(number)) for number in range(100)])
    assert len(waits.parked()) == 100
    waits.apply([BarrierReleased(number, now, barrier(number), release) for number in range(100)])
    assert not waits.parked() and len(waits) == HISTORY_ROWS
    waits.apply([BarrierReleased(1, now - HISTORY_SECONDS - 1, barrier(1), release)])
    assert all(getattr(item, "at", now) >= now - 1 for item in waits.items())


def test_times_are_read_as_people_write_them() -> None:
    for text, seconds in (("90", 90), ("45s", 45), ("10m", 600), ("1h30m", 5400), ("2d", 172_800), ("1.5", 1.5)):
        assert seconds_in(text) == seconds
    for wrong in ("", "soon", "0", "m", "-3", "1h-"):
        try:
            seconds_in(wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)
    noon = time.mktime((2026, 3, 1, 12, 0, 0, 0, 0, -1))
    assert moment_of("18:30", noon) == noon + 6.5 * 3600
    assert moment_of("11:00", noon) == noon + 23 * 3600
    assert moment_of("25:00", noon) is None and moment_of("10m", noon) is None


async def test_leaving_runs_nothing_that_waited_for_the_end_of_a_job(console: "Opened", tmp_path: Path) -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 1000", name="build")
        await wait_dialog(shown, "its exit", then=f"touch {tmp_path}/ran; sleep 1000")
        await shown.until(lambda: "on build: exit" in panel_text(shown))
        await shown.press("q")
        await shown.until(lambda: isinstance(shown.app.screen, Quit))
        await shown.until(lambda: "wait on build: exit, then touch" in shown.screen_text())
        await shown.until(lambda: "is waited for is forgotten" in shown.screen_text())
        await shown.press("x")
        await shown.until(lambda: not shown.app.is_running)
        assert [row.name for row in shown.engine.list().result().processes] == ["build"]
        assert not (tmp_path / "ran").exists()


async def test_leaving_asks_where_something_is_waited_for_and_nothing_runs(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        shown.engine.wait_for(WaitSpec(seconds=1000, then="make deploy")).result()
        await shown.until(lambda: "make deploy" in panel_text(shown))
        await shown.press("q")
        await shown.until(lambda: "1 wait still stands" in shown.screen_text())
        await shown.until(lambda: "then make deploy" in shown.screen_text() and "Leave  x" in shown.screen_text())
        assert "Leaving ends" not in shown.screen_text()
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.press("q")
        await shown.until(lambda: isinstance(shown.app.screen, Quit))
        await shown.press("x")
        await shown.until(lambda: not shown.app.is_running)


@pytest.mark.parametrize("settings", [Settings(term_grace_seconds=PATIENCE * 2)])
async def test_leaving_ends_also_what_starts_meanwhile(console: "Opened", tmp_path: Path) -> None:
    async with console(size=(140, 40)) as shown:
        deaf = f"trap '' TERM; echo deaf; while test ! -e {tmp_path}/go; do sleep 0.05; done"
        slot = await shown.start(deaf, name="deaf")
        await shown.until(lambda: "deaf" in shown.pane_text())
        await shown.press("q")
        await shown.until(lambda: isinstance(shown.app.screen, Quit))
        await shown.press("x")
        await shown.until(lambda: slot.ending)
        shown.engine.spawn(JobSpec(command="sleep 1000", name="late")).result()
        (tmp_path / "go").touch()
        await shown.until(lambda: not shown.app.is_running)
        assert {row.status for row in shown.engine.list().result().processes} == {"exited"}


async def test_leaving_says_how_a_goal_goes_on(console: "Opened", capsys: pytest.CaptureFixture[str]) -> None:
    async with console(size=(140, 40)) as shown:
        judge = """echo '{"verdict": "wait", "wait_for_seconds": 600}'"""
        said = shown.engine.goal_start(GoalSpec(goal="green [b]main[/b]", step="true", judge=judge)).result()
        assert isinstance(said, GoalSaid)
        await shown.until(shown.deck.signals.waits.parked)
        await shown.until(lambda: not shown.deck.store.live())
        log = shown.deck.signals.hits
        rows = [log.get(number) for number in range(log.first, log.end)]
        assert [row.name for row in rows if row] == ["green [b]main[/b] #1"], "a judge that answered well is no row"
        await shown.press("q")
        await shown.until(lambda: not shown.app.is_running)
    told = " ".join(capsys.readouterr().err.split())
    assert "stays saved, and goes on when jobdeck is opened again, or by 'jobdeck goal resume ID'" in told
    assert f"{said.goal.goal_id} green [b]main[/b]" in told


async def test_a_time_a_process_and_a_goal_are_waited_for_without_a_list_and_without_a_job(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        assert shown.deck.signals.place is Place.NONE
        await wait_dialog(shown, "a time", detail="1h")
        await shown.until(lambda: len(shown.deck.signals.waits.standing()) == 1)
        await shown.start("sleep 1000", name="api")
        other = subprocess.Popen(["sleep", "1000"])
        try:
            await wait_dialog(shown, "a process", detail=str(other.pid))
            await shown.until(lambda: len(shown.deck.signals.waits.standing()) == 2)
        finally:
            other.kill()
            other.wait()
        await wait_dialog(shown, "a goal")
        await shown.until(lambda: shown.app.focused is not None and shown.app.focused.id == "goal")


async def test_then_is_asked_only_where_something_can_be_run_then(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        judge = """echo '{"verdict": "wait", "wait_for_seconds": 600}'"""
        said = shown.engine.goal_start(GoalSpec(goal="green", step="true", judge=judge)).result()
        assert isinstance(said, GoalSaid)
        await shown.until(shown.deck.signals.waits.parked)
        await shown.start("sleep 1000", name="api")
        await shown.dialog("b", "choices")
        options = shown.app.screen.query_one("#choices", OptionList)
        await shown.until(lambda: "Then run" in shown.screen_text() and "Parks" in shown.screen_text())
        options.highlighted = options.option_count - 1
        await shown.until(lambda: "Then run" not in shown.screen_text() and "Parks" not in shown.screen_text())
        options.highlighted = 0
        await shown.until(lambda: "Then run" in shown.screen_text())
        shown.app.screen.query_one("#then", Input).value = "make deploy"
        shown.app.screen.query_one("#parks", Select).value = said.goal.goal_id
        await shown.until(lambda: "Then run" not in shown.screen_text())
        await shown.press("enter")
        await shown.until(lambda: shown.app.screen is shown.deck)
        (parked,) = shown.deck.signals.waits.parked()
        await shown.until(lambda: shown.deck.signals.waits.parked()[0].session_id, "the goal parked on the job")
        assert parked.then == ""


async def test_first_and_last_wait_by_a_key_and_one_is_read_in_full(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        reason = "because " * 30 + "of this"
        for number in range(12):
            shown.engine.wait_for(WaitSpec(seconds=1000 + number, then=f"echo {number}", reason=reason)).result()
        await shown.until(lambda: len(shown.deck.signals.waits) == 12)
        panel = shown.deck.signals.wait_panel
        shown.deck.focus_signals("barriers")

        def then() -> str:
            assert isinstance(panel.item, BarrierView)
            return panel.item.then

        for key, there in (("G", 11), ("g", 0), ("end", 11), ("home", 0), ("down", 1)):
            await shown.press(key)
            assert then() == f"echo {there}", key
        await shown.press("pagedown")
        assert then() not in ("echo 1", "echo 2")
        await shown.until(lambda: "space read" in shown.deck.footer.plain and "kill" not in shown.deck.footer.plain)
        assert "of this" not in shown.screen_text()
        await shown.press("space")
        await shown.until(lambda: "of this" in shown.screen_text() and then() in shown.screen_text())
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.press("enter")
        await shown.until(lambda: "of this" in shown.screen_text(), "what has no job is read on Enter")
