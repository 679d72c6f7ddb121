"""What is repainted of the screen is what Textual's own compositor would paint, asked of fewer widgets and rows."""

import random
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len
from rich.style import Style
from textual._compositor import ChopsUpdate, Compositor
from textual._context import visible_screen_stack
from textual.geometry import Region, Size
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from tui.compositing import RowCompositor
from tui.screens.dialog import Dialog

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


async def covered(shown: "Console") -> Dialog[object]:
    """Have a dialog over the deck, laid out."""
    await shown.press("question_mark")
    await shown.until(lambda: isinstance(shown.app.screen, Dialog) and shown.app.screen.size == shown.app.size)
    await shown.pilot.pause()
    assert isinstance(shown.app.screen, Dialog)
    return shown.app.screen


def painted(shown: "Console", regions: set[Region]) -> str:
    """The bytes for the terminal that repaint these regions."""
    compositor = shown.app.screen._compositor
    compositor._dirty_regions = set(regions)
    update = compositor.render_partial_update()
    assert isinstance(update, ChopsUpdate)
    return update.render_segments(shown.app.console)


@pytest.mark.parametrize("drawer", [False, True])
async def test_any_part_of_the_screen_is_painted_as_by_textuals_own(
    console: "Opened", monkeypatch: pytest.MonkeyPatch, drawer: bool
) -> None:
    chance = random.Random(3)
    async with console() as shown:
        await shown.start(r"printf 'one\n\033[31mtwo\033[m\n漢字 three\n'; sleep 1000")
        if drawer:
            await shown.press("d")
            await shown.until(lambda: "1 process" in shown.screen_text())
        await shown.pilot.pause()
        width, height = shown.app.size
        for _ in range(60):
            regions = set()
            for _ in range(chance.randint(1, 4)):
                x, y = chance.randrange(width), chance.randrange(height)
                regions.add(Region(x, y, chance.randint(1, width - x), chance.randint(1, height - y)))
            ours = painted(shown, regions)
            with monkeypatch.context() as patched:
                patched.setattr(RowCompositor, "_get_renders", Compositor._get_renders)
                assert painted(shown, regions) == ours
            assert ours


async def test_one_row_asks_the_widgets_in_it_for_that_row(console: "Opened", monkeypatch: pytest.MonkeyPatch) -> None:
    async with console() as shown:
        slot = await shown.start("echo three; sleep 1000")
        view = shown.pane(slot).view
        await shown.until(lambda: "three" in shown.pane_text() and view.painted_lines > 0)
        asked: list[tuple[Widget, Region]] = []
        real = Widget.render_lines
        monkeypatch.setattr(
            Widget,
            "render_lines",
            lambda widget, crop: asked.append((widget, crop)) or real(widget, crop),  # type: ignore[func-returns-value]
        )
        # All in one step of the loop: nothing else is painted between.
        before = view.painted_lines
        painted(shown, {Region(view.region.x, view.region.y + 5, view.region.width, 1)})
        assert view.painted_lines == before + 1
        assert asked and all(crop.height == 1 for _, crop in asked)
        # What the view lies in, and its scroll bar.
        assert {widget for widget, _ in asked} <= {*view.ancestors, view.vertical_scrollbar}


def cells(strip: Strip) -> list[tuple[str, Style]]:
    """What is in each column and how it looks; the ink of a blank isn't seen."""
    bare = Style.null()
    return [
        (character, (Style(bgcolor=style.bgcolor) if character == " " else style) if style else bare)
        for text, style, _ in strip
        for character in text
        for _ in range(cell_len(character))
    ]


async def test_behind_a_dialog_the_screen_is_as_faint_as_textual_makes_it(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(r"printf '\033[31mred\033[m \033[1;44mbold\033[m\n漢字\n'; sleep 1000")
        await shown.until(lambda: "漢字" in shown.pane_text())
        dialog = await covered(shown)
        width, height = shown.app.size
        whole = Region(0, 0, width, height)
        ours = [cells(strip) for strip in dialog.render_lines(whole)]
        visible_screen_stack.set(shown.app._background_screens)
        dialog._render_cache = dialog._render_cache._replace(size=whole.size.with_height(0))
        dialog._styles_cache.clear()
        theirs = [cells(strip) for strip in ModalScreen.render_lines(dialog, whole)]
        assert ours == theirs
        assert any("red" in "".join(character for character, _ in line) for line in ours)
        view = shown.pane(slot).view
        part = Region(view.region.x, view.region.y, 20, 2)
        assert [cells(strip) for strip in dialog.render_lines(part)] == [
            line[part.x : part.x + 20] for line in ours[part.y : part.y + 2]
        ]


async def test_behind_a_dialog_too_one_row_asks_for_one_row(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("echo three; sleep 1000")
        view = shown.pane(slot).view
        await shown.until(lambda: "three" in shown.pane_text() and view.painted_lines > 0)
        await covered(shown)
        before = view.painted_lines
        painted(shown, {Region(0, view.region.y + 5, view.region.right, 1)})
        assert view.painted_lines == before + 1


async def test_a_terminal_that_grows_under_a_dialog_is_painted_to_its_edges(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        await shown.start("echo three; sleep 1000")
        dialog = await covered(shown)
        await shown.pilot.resize_terminal(140, 40)
        await shown.until(lambda: dialog.size == shown.app.size == Size(140, 40))
        # The screen behind has not been told yet: as if its size had come a moment later.
        behind = shown.app.screen_stack[-2]
        behind._compositor.reflow(behind, Size(80, 24))
        lines = dialog.render_lines(Region(0, 0, 140, 40))
        assert [strip.cell_length for strip in lines] == [140] * 40
        part = dialog.render_lines(Region(70, 2, 30, 3))
        assert [strip.cell_length for strip in part] == [30] * 3
        assert shown.app._exception is None
