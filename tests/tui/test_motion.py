"""With reduced motion nothing moves by itself."""

from typing import TYPE_CHECKING

import pytest
from textual.app import App
from textual.widgets import Input, TextArea

from tui import motion
from tui.motion import Motion

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_lists_jump_and_cursors_stand(console: "Opened") -> None:
    async with console(size=(100, 30)) as shown:
        assert shown.deck.outfit is not None
        shown.deck.outfit.motion.reduce(True)
        await shown.press("?")
        await shown.until(lambda: "Esc closes" in shown.screen_text())
        await shown.press("pagedown")
        scroll = shown.app.screen.query_one("#help-scroll")
        await shown.until(lambda: scroll.scroll_y > 0)
        assert scroll.scroll_y == scroll.scroll_target_y and not shown.app.animator._animations
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.dialog("a", "command")
        command = shown.app.screen.query_one("#command", Input)
        await shown.until(lambda: command.has_focus and not command.cursor_blink)
        assert command._cursor_visible
        patterns = shown.app.screen.query_one("#patterns", TextArea)
        patterns.focus()
        await shown.until(lambda: patterns.has_focus and not patterns.cursor_blink)
        assert patterns._cursor_visible


def test_textuals_own_variable_does_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(motion, "_USUAL", "none")  # read once, as Textual is loaded
    app: App[None] = App()
    moves = Motion(app)
    moves.reduce(False)
    assert moves.reduced and app.animation_level == "none"


def test_else_things_move_as_usual() -> None:
    app: App[None] = App()
    moves = Motion(app)
    moves.reduce(True)
    moves.reduce(False)
    assert not moves.reduced and app.animation_level == "full"
