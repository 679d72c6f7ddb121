"""What is typed or pasted: nothing is lost, nothing runs unseen, secrets stay hidden."""

from typing import TYPE_CHECKING

import pytest
from palette import choose
from textual import events
from textual.widgets import Checkbox, Input

from tui.actions import typing

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

SECRET = "stty -echo; printf 'Password: '; read line; stty echo; echo; echo length ${#line}; sleep 1000"


async def test_pasted_lines_of_a_command_are_all_seen_and_all_run(console: "Opened") -> None:
    async with console() as shown:
        await shown.dialog("a", "command")
        await shown.paste("echo one\r\necho t\two\n")
        await shown.type("; sleep 1000")
        await shown.until(lambda: "echo one⏎echo t⇥wo; sleep 1000" in shown.screen_text())
        await shown.press("enter")
        await shown.until(lambda: shown.pane_text().startswith("one\nt"))
        assert shown.deck.stack.selected is not None
        slot = shown.deck.store.get(shown.deck.stack.selected)
        assert slot is not None and slot.job.command == "echo one\necho t\two; sleep 1000"
        await shown.until(lambda: "$ echo one⏎echo t␉wo; sleep 1000" in shown.screen_text())


async def test_enter_starts_from_a_checkbox_and_space_toggles_it(console: "Opened") -> None:
    async with console() as shown:
        await shown.dialog("a", "command")
        await shown.type("tty; sleep 1000")
        dialog = shown.app.screen
        dialog.query_one("#pty", Checkbox).focus()
        await shown.press("space")
        await shown.until(lambda: not dialog.query_one("#pty", Checkbox).value)
        await shown.press("enter")
        await shown.until(lambda: "not a tty" in shown.pane_text())


async def test_a_complaint_goes_when_it_is_typed_away_and_esc_keeps_the_draft(console: "Opened") -> None:
    async with console("echo earlier; sleep 1000") as shown:
        await shown.until(lambda: "earlier" in shown.pane_text())
        await shown.dialog("a", "command")
        await shown.press("enter")
        await shown.until(lambda: "the command is empty" in shown.screen_text())
        await shown.press("l")
        await shown.until(lambda: "the command is empty" not in shown.screen_text())
        await shown.press("s", "escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.dialog("a", "command")
        command = shown.app.screen.query_one("#command", Input)
        await shown.until(lambda: command.value == "ls")
        await shown.press("up")
        await shown.until(lambda: command.value == "echo earlier; sleep 1000")
        await shown.press("down")
        await shown.until(lambda: command.value == "ls")


async def test_a_failed_start_leaves_neither_toast_nor_row(console: "Opened") -> None:
    async with console() as shown:
        await shown.dialog("a", "command")
        await shown.type("echo hello")
        shown.app.screen.query_one("#folder", Input).value = "/no/such/folder"
        await shown.press("enter")
        await shown.until(lambda: "or give another folder" in " ".join(shown.screen_text().split()))
        await shown.until(lambda: len(shown.deck.store) == 0)
        assert not shown.said
        shown.app.screen.query_one("#folder", Input).value = "/"
        await shown.press("enter")
        await shown.until(lambda: "hello" in shown.pane_text())
        await shown.until(lambda: len(shown.deck.store) == 1)


async def test_a_line_that_cannot_even_be_asked_for_gets_a_row_and_a_toast(
    console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, spec: object) -> None:
        raise RuntimeError("no such luck")

    monkeypatch.setattr("engine.api.local.LocalApi.spawn", broken)
    async with console("first thing", "second", size=(200, 30)) as shown:
        await shown.until(lambda: len(shown.deck.store) == 2)
        await shown.until(lambda: any("first thing was not started" in said for said in shown.said))
        await shown.until(lambda: "no such luck" in shown.stack_text())
        assert not any("own error" in said for said in shown.said)
        slot = next(iter(shown.deck.store))
        shown.deck.stack.select(slot.id)
        await shown.press("r")
        await shown.until(lambda: [other.job.command for other in shown.deck.store] == ["second", "first thing"])
        monkeypatch.undo()
        shown.deck.stack.select(list(shown.deck.store)[1].id)
        await shown.press("r")
        await shown.until(
            lambda: any(other.job.command == "first thing" and not other.local for other in shown.deck.store)
        )
        await shown.until(lambda: len(shown.deck.store) == 2)


async def test_a_password_is_masked_and_not_remembered(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(SECRET)
        await shown.until(lambda: slot.job.hides_input and "Password:" in shown.pane_text())
        await shown.press("s", *"hunter2")
        await shown.until(lambda: "hunter2" not in shown.screen_text() and "•••••••" in shown.screen_text())
        await shown.press("escape", "s")
        assert shown.deck.prompt.line.value == ""
        await shown.press(*"hunter2", "enter")
        await shown.until(lambda: "length 7" in shown.pane_text() and not slot.job.hides_input)
        await shown.press("s", "up")
        assert shown.deck.prompt.line.value == "" and not shown.deck.prompt.secret


async def test_the_prompt_hides_what_is_typed_as_soon_as_the_job_asks_for_it(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(f"read go; {SECRET}")
        await shown.press("s", "g", "o")
        assert not shown.deck.prompt.secret
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: shown.deck.prompt.secret)
        shown.engine.submit(slot.job.session_id, "x")
        await shown.until(lambda: not slot.job.hides_input)
        assert shown.deck.prompt.secret, "what was typed hidden is never shown"


async def test_pasted_lines_are_sent_only_after_a_question(console: "Opened") -> None:
    async with console() as shown:
        await shown.start('while read line; do echo "<$line>"; done')
        await shown.press("s", "a")
        await shown.paste("b\r\nc\r\n")
        await shown.until(lambda: "Send 2 lines" in shown.screen_text())
        await shown.until(lambda: "ab" in shown.screen_text())
        await shown.press("n")
        await shown.until(lambda: shown.app.screen is shown.deck and shown.app.focused is shown.deck.prompt.line)
        assert shown.deck.prompt.line.value == "a"
        await shown.paste("b\nc")
        await shown.until(lambda: "Send 2 lines" in shown.screen_text())
        await shown.press("y")
        await shown.until(lambda: "<ab>" in shown.pane_text() and "<c>" in shown.pane_text())
        await shown.until(lambda: not shown.deck.prompt.display)


async def test_a_line_for_an_ended_job_comes_back_with_the_prompt(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("read line; exit 0; sleep 1000")
        await shown.press("s", "h", "i")
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: not slot.live)
        await shown.press("enter")
        await shown.until(lambda: any("Not sent: the job has ended" in said for said in shown.said))
        await shown.press("r")
        await shown.until(lambda: slot.live)
        await shown.press("s")
        assert shown.deck.prompt.line.value == "hi"


async def test_the_prompt_changes_no_terminals_size(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("trap 'echo resized' WINCH; while :; do sleep 0.05; done")
        view = shown.pane(slot).view
        await shown.until(lambda: view.room.area and (slot.job.cols, slot.job.rows) == tuple(view.room))
        before, text = view.room, shown.pane_text()
        await shown.press("s")
        await shown.until(lambda: "Enter sends" in shown.screen_text())
        assert view.room == before
        await shown.press("escape")
        await shown.until(lambda: "Enter sends" not in shown.screen_text())
        await shown.pilot.pause(0.2)
        assert view.room == before and shown.pane_text() == text


async def test_the_palette_ends_a_jobs_input_and_names_its_two_copies_apart(console: "Opened") -> None:
    async with console(size=(120, 90)) as shown:
        await shown.start("cat; echo that was all; sleep 1000")
        await shown.press("ctrl+p")
        await shown.until(
            lambda: "Copy the selection" in shown.screen_text() and "Copy the command" in shown.screen_text()
        )
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await choose(shown, "EOF", "End the job's input (EOF)")
        await shown.until(lambda: "that was all" in shown.pane_text())


async def test_keys_typed_at_once_into_a_pane_that_opens_are_coded_as_its_program_asked(console: "Opened") -> None:
    async with console() as shown:
        program = r"printf '\033[?1h\033[?2004h'; stty -echo -icanon; echo asked; cat -v"
        slot = await shown.start(program, open_tab=False)
        await shown.until(lambda: slot.job.last_line == "asked")
        shown.deck.stack.select(slot.id)
        # In one step of the loop: the pane isn't even attached.
        typing.type_in(shown.deck)
        typist = shown.deck.typist
        assert not shown.pane(slot).caught_up
        for event in (events.Key("up", "\x1b[A"), events.Paste("pasted"), events.Key("j", "j")):
            assert typist.take(event)
        await shown.until(lambda: "^[OA^[[200~pasted^[[201~j" in shown.pane_text())
        typist.take(events.Key("k", "k"))
        await shown.until(lambda: "^[[201~jk" in shown.pane_text())


async def test_keys_for_a_pane_that_opens_go_to_its_job_also_if_type_mode_is_left_at_once(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("stty -echo -icanon; echo asked; cat -v", open_tab=False)
        await shown.until(lambda: slot.job.last_line == "asked")
        shown.deck.stack.select(slot.id)
        typing.type_in(shown.deck)
        shown.deck.typist.take(events.Key("j", "j"))
        shown.deck.typist.leave()
        await shown.until(lambda: shown.pane_text().endswith("asked\nj"))
