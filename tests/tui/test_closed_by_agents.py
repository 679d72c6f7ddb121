"""An agent closes a tab: the job goes on, and the operator's keys go to who is seen (spec 4.5)."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_the_keys_go_to_the_stack_and_the_tab_can_be_opened_again(console: "Opened") -> None:
    async with console("echo here; read x") as shown:
        await shown.until(lambda: "here" in shown.pane_text())
        shown.deck.focus_pane()
        (slot,) = shown.deck.store
        shown.engine.close_terminal(slot.job.session_id).result()
        await shown.until(lambda: shown.deck.area.pane is None)
        await shown.until(lambda: shown.deck.focused is shown.deck.stack)
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.pane is not None and "here" in shown.pane_text())
        assert slot.live


async def test_what_is_typed_goes_no_more_into_a_job_that_is_not_seen(console: "Opened") -> None:
    async with console("read x; echo got $x; read y") as shown:
        await shown.until(lambda: shown.deck.area.pane is not None)
        await shown.press("i")
        await shown.until(lambda: shown.deck.typist.pane is not None)
        await shown.press("o", "n")
        await shown.until(lambda: shown.pane_text() == "on", "the job's terminal to have it")
        (slot,) = shown.deck.store
        shown.engine.close_terminal(slot.job.session_id).result()
        await shown.until(lambda: shown.deck.area.pane is None)
        await shown.until(lambda: shown.deck.typist.pane is None)
        shown.engine.submit(slot.job.session_id, "e").result()
        log = ""
        while "got" not in log:
            log = shown.engine.log(slot.job.session_id).result().to_dict()["output"]
        assert "got one" in log


async def test_a_tab_that_is_not_seen_is_closed_without_moving_the_focus(console: "Opened") -> None:
    async with console("echo first; read x", "echo second; read x") as shown:
        await shown.until(lambda: len(shown.deck.area.order) == 2)
        shown.deck.focus_pane()
        await shown.until(lambda: shown.deck.area.pane_has_focus)
        seen = shown.deck.area.active
        other = next(slot for slot in shown.deck.store if slot.id != seen)
        shown.engine.close_terminal(other.job.session_id).result()
        await shown.until(lambda: len(shown.deck.area.order) == 1)
        assert shown.deck.area.active == seen and shown.deck.area.pane_has_focus
