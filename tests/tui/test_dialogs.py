"""Dialogs in small terminals: what is too long scrolls, the buttons stay in sight."""

from typing import TYPE_CHECKING

from scenes import DIALOGS, LONG, busy, open_dialog, out_of_sight

from tui.screens.help import Help
from tui.screens.new_job import NewJob
from tui.screens.reading import Reading

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_the_buttons_of_every_dialog_are_in_sight(console: "Opened") -> None:
    """In larger terminals, too: `test_screens` looks at that."""
    async with console(size=(50, 20)) as shown:
        await busy(shown)
        for name in DIALOGS:
            dialog = await open_dialog(shown, name)
            await shown.until(lambda dialog=dialog: not out_of_sight(dialog), f"the buttons of {name}")  # type: ignore[misc]
            await shown.app.pop_screen()


async def test_the_key_after_a_dialog_is_the_screens_however_soon_it_comes(console: "Opened") -> None:
    async with console() as shown:
        await shown.press("question_mark")
        await shown.until(lambda: isinstance(shown.app.screen, Help) and shown.app.screen.is_mounted)
        shown.app.screen.dismiss(None)
        assert shown.app.screen is shown.deck
        assert shown.deck.check_action("do", ("job.add",)), "in the very moment in which the dialog is gone"
        await shown.press("a")
        await shown.until(lambda: isinstance(shown.app.screen, NewJob))


async def test_keys_that_were_meant_for_a_dialog_do_nothing_before_it_is_there(console: "Opened") -> None:
    async with console() as shown:
        shown.deck.action_do("job.add")
        assert shown.app.screen is shown.deck
        assert not shown.deck.check_action("do", ("app.quit",))
        await shown.until(lambda: isinstance(shown.app.screen, NewJob))


async def test_what_is_too_long_for_the_terminal_is_scrolled_by_keys(console: "Opened") -> None:
    async with console(size=(50, 20)) as shown:
        shown.app.push_screen(Reading("⚑ api", [(LONG * 3 + "the end", "$foreground")]))
        await shown.until(lambda: "⚑ api" in shown.screen_text() and "Close" in shown.screen_text())
        assert "the end" not in shown.screen_text()
        await shown.press("end")
        await shown.until(lambda: "the end" in shown.screen_text() and "Close" in shown.screen_text())
