"""The way out: asked once, left once, and a failure stays a failure."""

from typing import TYPE_CHECKING

import pytest

from engine import Settings
from tui.screens.quit import Quit

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_many_ends_at_once_leave_the_console_once(console: "Opened", monkeypatch: pytest.MonkeyPatch) -> None:
    async with console() as shown:
        await shown.start("sleep 1000", open_tab=False)
        await shown.press("q")
        await shown.until(lambda: isinstance(shown.app.screen, Quit))
        dialog = shown.app.screen
        assert isinstance(dialog, Quit)
        # As the dialog's clock and each kill's answer do it, in one and the same moment.
        monkeypatch.setattr(shown.deck.store, "live", list)
        dialog._ending = True

        def show() -> None:
            for _ in range(3):
                dialog._show()

        dialog.call_later(show)
        await shown.until(lambda: not shown.app.is_running)
        assert shown.app.return_code == 0


async def test_leaving_in_order_after_a_failure_is_a_failure(console: "Opened") -> None:
    async with console() as shown:
        shown.app.exit(return_code=7)
        shown.app.exit(return_code=0)
        await shown.until(lambda: not shown.app.is_running)
        assert shown.app.return_code == 7


@pytest.mark.parametrize("settings", [Settings(term_grace_seconds=60)])
async def test_a_second_x_ends_the_grace_and_the_end_is_told_once(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("trap '' TERM; echo deaf; while :; do sleep 0.05; done", name="deaf")
        await shown.until(lambda: "deaf" in shown.pane_text())
        await shown.press("x")
        await shown.until(lambda: shown.look(slot) == "ending")
        await shown.until(lambda: "X now" in shown.deck.footer.plain and "x kill" not in shown.deck.footer.plain)
        await shown.until(lambda: "ending · has 60 s · X kills now" in shown.stack_text())
        await shown.press("X")
        await shown.until(lambda: shown.look(slot) == "killed")
        await shown.until(lambda: any("deaf killed" in said for said in shown.said))
        await shown.pilot.pause(0.2)
        assert sum("deaf killed" in said for said in shown.said) == 1


async def test_keys_of_a_running_job_say_what_to_press_on_an_ended_one(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("exit 0", name="done")
        await shown.until(lambda: not slot.live)
        await shown.until(lambda: "submit" not in shown.deck.footer.plain and "kill" not in shown.deck.footer.plain)
        for key in ("s", "x", "X"):
            shown.said.clear()
            await shown.press(key)
            await shown.until(lambda: any("done has ended; r starts it again" in said for said in shown.said))


async def test_toasts_are_few_and_stay_away_from_dialogs(console: "Opened") -> None:
    async with console() as shown:
        for number in range(5):
            shown.deck.say(f"news {number}")
        shown.deck.say("news 4")
        await shown.until(lambda: shown.toasts() == ["news 3", "news 4"])
        await shown.dialog("a", "command")
        await shown.until(lambda: not shown.toasts())
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        assert not shown.toasts()
