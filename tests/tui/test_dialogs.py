"""Dialogs in small terminals: what is too long scrolls, the buttons stay in sight."""

from typing import TYPE_CHECKING

from scenes import DIALOGS, LONG, busy, open_dialog, out_of_sight

from tui.screens.reading import Reading

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_the_buttons_of_every_dialog_are_in_sight(console: "Opened") -> None:
    """In larger terminals, too: `test_screens` looks at that."""
    async with console(size=(50, 20)) as shown:
        await busy(shown)
        for name in DIALOGS:
            assert out_of_sight(await open_dialog(shown, name)) == [], name
            await shown.app.pop_screen()


async def test_what_is_too_long_for_the_terminal_is_scrolled_by_keys(console: "Opened") -> None:
    async with console(size=(50, 20)) as shown:
        shown.app.push_screen(Reading("⚑ api", [(LONG * 3 + "the end", "$foreground")]))
        await shown.until(lambda: "⚑ api" in shown.screen_text() and "Close" in shown.screen_text())
        assert "the end" not in shown.screen_text()
        await shown.press("end")
        await shown.until(lambda: "the end" in shown.screen_text() and "Close" in shown.screen_text())
