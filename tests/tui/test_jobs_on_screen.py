"""What becomes of jobs is seen: in the pane, in the stack, in toasts."""

import time
from typing import TYPE_CHECKING

import msgspec
import pytest
from textual.widgets import Input

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_a_line_named_at_the_start_runs_in_a_tab_and_shows_its_output(console: "Opened") -> None:
    async with console("echo first word; sleep 1000", "echo other; sleep 1000") as shown:
        await shown.until(lambda: "first word" in shown.pane_text())
        await shown.until(lambda: len(shown.deck.area.order) == 2)
        assert shown.deck.area.active == shown.deck.area.order[0]
        await shown.until(lambda: "2 running" in shown.screen_text())


async def test_the_stack_shows_the_last_line_of_a_job_that_nobody_looks_at(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("echo quietly said; sleep 1000", name="quiet", open_tab=False)
        await shown.until(lambda: "quietly said" in shown.stack_text())
        assert slot.unseen
        assert "quiet" in shown.stack_text()


async def test_a_new_job_is_started_from_the_dialog_at_the_panes_size(console: "Opened") -> None:
    async with console() as shown:
        cols, rows = shown.deck.area.terminal_size()
        await shown.dialog("a", "command")
        await shown.type("stty size; sleep 1000")
        await shown.press("enter")
        await shown.until(lambda: f"{rows} {cols}" in shown.pane_text())
        await shown.until(lambda: shown.deck.area.pane_has_focus)
        assert shown.deck.area.view is not None
        assert tuple(shown.deck.area.view.room) == (cols, rows)


async def test_what_cannot_be_started_is_said_in_the_dialog_and_nothing_typed_is_lost(console: "Opened") -> None:
    async with console() as shown:
        await shown.dialog("a", "command")
        await shown.press("enter")
        await shown.until(lambda: "the command is empty" in shown.screen_text())
        await shown.type("echo hello")
        await shown.press("tab", "tab")
        await shown.type("/no/such/folder")
        await shown.press("enter")
        await shown.until(lambda: "✗" in shown.screen_text() and "/no/such/folder" in shown.screen_text())
        dialog = shown.app.screen
        assert dialog.query_one("#command", Input).value == "echo hello"
        await shown.back()


async def test_a_submitted_line_reaches_the_jobs_read(console: "Opened") -> None:
    async with console() as shown:
        await shown.start('read line; echo "got <$line>"; sleep 1000')
        await shown.press("s")
        await shown.press(*"hello there", "enter")
        await shown.until(lambda: "got <hello there>" in shown.pane_text())
        assert shown.deck.focused is shown.deck.stack, "the focus is where it was before"
        await shown.press("s", "up")
        await shown.until(lambda: shown.deck.prompt.line.value == "hello there")
        await shown.press("escape")
        await shown.until(lambda: not shown.deck.prompt.display)
        await shown.press("s")
        await shown.until(lambda: shown.deck.prompt.display)
        assert shown.deck.prompt.line.value == "", "a recalled line is no draft"


async def test_keys_that_come_in_a_burst_after_the_prompts_key_are_text(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start('read line; echo "got <$line>"; sleep 1000')
        first = slot.job.session_id
        await shown.press("s", "x", "r", "q", "enter")
        await shown.until(lambda: "got <xrq>" in shown.pane_text())
        assert slot.job.session_id == first


async def test_a_kill_shows_the_sign_and_says_how_to_start_again(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000", name="sleeper")
        await shown.press("x")
        await shown.until(lambda: shown.look(slot) == "killed")
        await shown.until(lambda: "⊘ sleeper" in shown.stack_text())
        await shown.until(lambda: any("sleeper killed" in said and "r starts it again" in said for said in shown.said))


async def test_a_job_that_has_run_long_is_not_killed_without_asking(
    console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.actions.together.LONG_RUN_SECONDS", 0.0)
    async with console() as shown:
        slot = await shown.start("sleep 1000", name="old")
        await shown.press("x")
        await shown.until(lambda: "Kill old?" in shown.screen_text())
        await shown.press("n")
        await shown.until(lambda: shown.app.screen is shown.deck)
        assert slot.live
        await shown.press("x")
        await shown.until(lambda: "Kill old?" in shown.screen_text())
        await shown.press("y")
        await shown.until(lambda: shown.look(slot) == "killed")


async def test_ends_are_told_apart_by_sign_and_word(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("exit 0", name="good", open_tab=False)
        await shown.until(lambda: any("✓ good finished" in said for said in shown.said))
        await shown.start("echo why; exit 7", name="bad", open_tab=False)
        await shown.until(lambda: any("✗ bad failed (exit 7)" in said and "why" in said for said in shown.said))
        await shown.start("kill -SEGV $$", name="ugly", open_tab=False)
        await shown.until(lambda: "exit 0" in shown.stack_text())
        await shown.until(lambda: "exit 7 · why" in shown.stack_text())
        await shown.until(lambda: "SIGSEGV" in shown.stack_text())
        for word in ("✓ good", "✗ bad", "✗ ugly"):
            await shown.until(lambda word=word: word in shown.stack_text())  # type: ignore[misc]


async def test_a_restarted_job_keeps_its_row_and_its_tab(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("echo run by $$; sleep 1000", name="again")
        await shown.until(lambda: "run by" in shown.pane_text())
        first, pid = slot.job.session_id, slot.job.pid
        await shown.press("r")
        await shown.until(lambda: slot.job.session_id != first and slot.live)
        await shown.until(lambda: shown.pane_text() == f"run by {slot.job.pid}")
        assert slot.job.pid != pid
        assert shown.deck.area.order == (slot.id,)
        assert shown.stack_text().count("again") == 1


async def test_ctrl_c_neither_quits_nor_kills_and_says_what_does(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000")
        await shown.press("ctrl+c")
        await shown.until(lambda: any("x kills a job, q leaves" in said for said in shown.said))
        assert slot.live
        assert shown.app.is_running


async def test_leaving_asks_while_jobs_run_and_ends_them(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000", name="sleeper")
        await shown.press("q")
        await shown.until(lambda: "1 job still runs" in shown.screen_text())
        await shown.until(lambda: "sleeper" in shown.screen_text())
        await shown.back()
        assert slot.live
        await shown.press("q")
        await shown.until(lambda: "1 job still runs" in shown.screen_text())
        await shown.press("x")
        await shown.until(lambda: not slot.live)
        await shown.until(lambda: not shown.app.is_running)


async def test_leaving_with_nothing_running_asks_nothing(console: "Opened") -> None:
    async with console() as shown:
        await shown.press("q")
        await shown.until(lambda: not shown.app.is_running)
        assert shown.app.return_code == 0


async def test_the_stack_ticks_only_as_often_as_what_it_says_of_time_changes(console: "Opened") -> None:
    async with console() as shown:
        clock = shown.deck.stack._clock
        assert clock.pause is None
        slot = await shown.start("read x; exit 0")
        await shown.until(lambda: clock.pause == 1.0, "it to tick each second")
        shown.engine.submit(slot.job.session_id, "go")
        await shown.until(lambda: clock.pause == 10.0, "it to tick as ages of seconds are told")
        slot.job = msgspec.structs.replace(slot.job, exited_at=time.time() - 61)
        clock.set((slot,))
        assert clock.pause == 60.0
        shown.engine.dismiss(slot.job.session_id)
        await shown.until(lambda: clock.pause is None, "it to stand still")
