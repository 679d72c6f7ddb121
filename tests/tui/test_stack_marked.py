"""Marked jobs: verbs act on all of them at once, with one question, and on no other."""

from concurrent.futures import Future

import pytest
from textual import events

from engine import Call, JobSpec
from engine.api.local import LocalApi
from engine.results import Killed, Refused, Survivor
from tests.tui.conftest import Console, Opened
from tui.screens.confirm import Confirm
from tui.screens.send_signal import SendSignal
from tui.screens.survivors import Survivors
from tui.store import Slot


async def jobs(shown: Console, *names: str, command: str = "sleep 1000") -> list[Slot]:
    slots = [await shown.start(command, name=name, open_tab=False) for name in names]
    shown.deck.set_focus(shown.deck.stack)
    await shown.press("home")
    assert shown.deck.stack.selected == slots[0].id
    return slots


async def test_space_marks_with_a_sign_and_esc_marks_none(console: Opened) -> None:
    async with console() as shown:
        first, second, _ = await jobs(shown, "one", "two", "three")
        await shown.press("space", "space")
        assert shown.deck.stack.marked == [first.id, second.id]
        assert [line[:1] for line in shown.stack_text().splitlines() if " one " in line or " two " in line] == ["◆"] * 2
        await shown.until(lambda: "◆ 2 marked" in shown.deck.stack_title.plain)
        await shown.press("escape")
        assert not shown.deck.stack.marked and "◆" not in shown.stack_text()
        await shown.until(lambda: "3 running" in shown.deck.stack_title.plain)
        assert "marked" not in shown.deck.stack_title.plain


async def test_x_ends_all_marked_ones_and_no_other_and_says_so_once(console: Opened) -> None:
    async with console() as shown:
        first, second, third = await jobs(shown, "one", "two", "three")
        await shown.press("space", "space", "x")
        await shown.until(lambda: not first.live and not second.live)
        await shown.until(lambda: "⊘ 2 killed: one, two · r starts them again" in shown.said)
        assert third.live
        await shown.press("r")
        await shown.until(lambda: first.live and second.live)


async def test_one_question_stands_for_all(console: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tui.actions.together.LONG_RUN_SECONDS", 0.0)
    async with console() as shown:
        slots = await jobs(shown, "one", "two", "three")
        await shown.press("ctrl+a", "X")
        await shown.until(lambda: isinstance(shown.app.screen, Confirm) and "Kill 3 jobs?" in shown.screen_text())
        await shown.until(lambda: "one, two, three" in shown.screen_text())
        await shown.press("n")
        await shown.until(lambda: shown.app.screen is shown.deck)
        assert all(slot.live for slot in slots)
        await shown.press("X")
        await shown.until(lambda: isinstance(shown.app.screen, Confirm) and "Kill 3 jobs?" in shown.screen_text())
        await shown.press("y")
        await shown.until(lambda: not any(slot.live for slot in slots))


async def test_who_stays_alive_of_several_jobs_is_named_with_what_to_do(
    console: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, asked = LocalApi.kill, list[tuple[str, bool]]()

    def kill(api: LocalApi, session_id: str, now: bool = False, **more: bool) -> Call[Killed | Refused]:
        """The first time, of all but one a process sleeps where no signal reaches it."""
        asked.append((session_id, now))
        if len(asked) > 2:
            return real(api, session_id, now=now)
        stays = Survivor(pid=4_000_000 + len(asked), command="cp big /nfs", why="it sleeps where no signal reaches it")
        future = Future[Killed | Refused]()
        future.set_result(Killed(status="error", session_id=session_id, survivors=(stays,)))
        return Call(future, "kill", 1.0)

    async with console() as shown:
        first, second, third = await jobs(shown, "one", "two", "three")
        monkeypatch.setattr(LocalApi, "kill", kill)
        await shown.press("ctrl+a", "x")
        await shown.until(lambda: isinstance(shown.app.screen, Survivors))
        await shown.until(lambda: "2 processes of one, two could not be ended" in shown.screen_text())
        await shown.until(lambda: "4000001" in shown.screen_text() and "4000002" in shown.screen_text())
        await shown.until(lambda: not third.live)
        assert first.live and second.live
        await shown.press("k")
        await shown.until(lambda: not first.live and not second.live)
        assert [now for _, now in asked] == [False] * 3 + [True] * 2


async def test_a_signal_is_chosen_once_and_goes_to_all(console: Opened) -> None:
    async with console() as shown:
        traps = "trap 'echo got it' INT; echo ready; while :; do read -r line; done"
        first, second, third = await jobs(shown, "one", "two", "three", command=traps)
        await shown.until(lambda: all(slot.job.last_line == "ready" for slot in (first, second, third)))
        await shown.press("space", "space", "S")
        await shown.until(
            lambda: isinstance(shown.app.screen, SendSignal) and "2 jobs: one, two" in shown.screen_text()
        )
        await shown.press("enter")
        await shown.until(lambda: "got it" in first.job.last_line and "got it" in second.job.last_line)
        assert third.job.last_line == "ready"


async def test_notify_tabs_and_the_list(console: Opened) -> None:
    async with console() as shown:
        first, second, third = await jobs(shown, "one", "two", "three")
        for slot in (first, second, third):
            shown.deck.area.open(slot.id)
        shown.deck.set_focus(shown.deck.stack)
        await shown.press("home", "space", "space", "o")
        await shown.until(lambda: not first.job.notify_on_complete and not second.job.notify_on_complete)
        assert third.job.notify_on_complete
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == (third.id,))
        await shown.press("X")
        await shown.until(lambda: not first.live and not second.live)
        shown.deck.action_do("job.dismiss")
        await shown.until(lambda: [slot.id for slot in shown.deck.store] == [third.id])
        await shown.until(lambda: "marked" not in shown.deck.stack_title.plain)


async def test_a_marked_job_that_the_filter_hides_is_left_alone(console: Opened) -> None:
    async with console() as shown:
        first, second, third = await jobs(shown, "one", "two", "other")
        await shown.press("ctrl+a", "slash")
        await shown.type("o")
        await shown.type("t")  # "ot" is in "other" alone
        await shown.press("enter")
        await shown.until(lambda: "◆ 1 marked · 2 hidden" in shown.deck.stack_title.plain)
        await shown.press("X")
        await shown.until(lambda: not third.live)
        assert first.live and second.live


async def test_the_mouse_marks_at_the_left_edge_and_with_ctrl(console: Opened) -> None:
    async with console() as shown:
        first, second = await jobs(shown, "one", "two")
        rows = shown.deck.stack._rows
        await shown.pilot.click("#stack", offset=(0, rows[first.id]))
        await shown.pilot.click("#stack", offset=(8, rows[second.id]), control=True)
        await shown.until(lambda: shown.deck.stack.marked == [first.id, second.id])
        await shown.until(lambda: "2 marked" in shown.deck.stack_title.plain)
        await shown.pilot.click("#stack-title", offset=(10, 0))
        await shown.until(lambda: not shown.deck.stack.marked)


async def test_marks_go_with_their_jobs(console: Opened) -> None:
    async with console() as shown:
        first, second = await jobs(shown, "one", "two")
        await shown.press("space", "space")
        session_id = first.job.session_id
        await shown.press("r")
        await shown.until(lambda: first.live and first.job.session_id != session_id)
        assert shown.deck.stack.marked == [first.id, second.id]
        started = shown.engine.spawn(JobSpec(command="sleep 1000", name="new")).result()
        await shown.until(lambda: shown.deck.store.job(started.session_id) is not None)
        assert len(shown.deck.stack.marked) == 2


async def test_the_wheel_scrolls_the_stack(console: Opened) -> None:
    async with console(size=(120, 16)) as shown:
        await jobs(shown, "one", "two", "three", "four", "five", "six", "seven", "eight")
        stack = shown.deck.stack
        await shown.until(lambda: stack.max_scroll_y > 0)
        wheel = {"widget": stack, "x": 5, "y": 5, "delta_x": 0, "delta_y": 1, "button": 0}
        plain = {"shift": False, "meta": False, "ctrl": False}
        stack.post_message(events.MouseScrollDown(**wheel, **plain))  # type: ignore[arg-type]
        await shown.until(lambda: stack.scroll_offset.y > 0)
        stack.post_message(events.MouseScrollUp(**wheel, **plain))  # type: ignore[arg-type]
        await shown.until(lambda: stack.scroll_offset.y == 0)
