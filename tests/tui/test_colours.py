"""What is to be read can be read, in every theme."""

from typing import TYPE_CHECKING

import pytest
from rich.color import Color as RichColor
from rich.style import Style
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from tui import themes
from tui.reading.pattern import Wanted

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


def luminance(color: RichColor) -> float:
    parts = [part / 255 for part in color.get_truecolor()]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: RichColor | None, other: RichColor | None) -> float:
    assert one is not None and other is not None
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["jobdeck-dark", "jobdeck-light", "nord", "solarized-light", "ansi-light"])
async def test_selected_text_can_be_read(console: "Opened", theme: str) -> None:
    async with console() as shown:
        shown.app.theme = theme
        slot = await shown.start("printf 'plain \\033[34mblue \\033[7mback\\033[m\\n'; sleep 1000")
        await shown.until(lambda: "plain blue back" in shown.pane_text())
        view = shown.pane(slot).view
        await shown.pilot.mouse_down(view, offset=(0, 0))
        await shown.pilot.hover(view, offset=(15, 0))
        await shown.pilot.mouse_up(view, offset=(15, 0))
        await shown.until(lambda: view.selection.text == "plain blue back")
        strip = view.render_line(0).crop(0, 15)
        assert strip.text == "plain blue back"
        for piece in strip:
            assert piece.style is not None
            assert contrast(piece.style.color, piece.style.bgcolor) >= 4.5, piece
        view.selection.clear()
        shown.pane(slot).search.search.seek(Wanted("blue|back", regex=True))
        shown.pane(slot).search.search.go(1)
        lit = [piece for piece in view.render_line(0) if piece.text in ("blue", "back")]
        grounds = {piece.style.bgcolor for piece in lit if piece.style is not None}
        assert len(grounds) == 2
        for piece in lit:
            assert piece.style is not None
            assert contrast(piece.style.color, piece.style.bgcolor) >= 4.5, piece


async def test_the_active_tab_follows_the_theme(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("sleep 1000", name="here")
        grounds: set[RichColor] = set()

        def tab() -> Style:
            pieces = [piece for piece in shown.deck.area.tabs.render_line(0) if "here" in piece.text]
            assert pieces and pieces[0].style is not None and pieces[0].style.bgcolor is not None
            return pieces[0].style

        for theme in ("jobdeck-dark", "jobdeck-light", "ansi-light", "nord", "solarized-light"):
            shown.app.theme = theme
            await shown.until(lambda: tab().bgcolor not in grounds, f"a ground of its own in {theme}")
            ground = tab().bgcolor
            assert ground is not None
            grounds.add(ground)
            if theme.startswith("jobdeck"):
                await shown.until(lambda: contrast(tab().color, tab().bgcolor) >= 4.5, theme)


@pytest.mark.parametrize("theme", BUILTIN_THEMES.values(), ids=lambda theme: theme.name)
def test_a_theme_that_isnt_ours_gets_tones_of_its_own(theme: Theme) -> None:
    made = themes.defaults(theme)
    assert set(made) >= {name for name in themes.LIGHT.variables if not name.startswith(("block", "footer", "input"))}
    if theme.ansi:
        assert all(color.startswith("ansi_") for color in made.values())


async def test_where_the_focus_is_is_lit(console: "Opened") -> None:
    async with console(size=(120, 40)) as shown:
        slot = await shown.start("echo hit; sleep 1000", watch_patterns=("hit",))
        deck = shown.deck
        await shown.until(lambda: deck.signals.display)
        await shown.until(lambda: shown.pane(slot).query(".pane--status"))
        lit = Color.parse(themes.DARK.variables["selected"])
        lines = {
            "pane": shown.pane(slot).query_one(".pane--status"),
            "barriers": deck.query_one("#waits-column .signals--title"),
            "hits": deck.query_one("#hits-column .signals--title"),
        }

        def seen() -> list[str]:
            return [name for name, line in lines.items() if line.styles.background == lit]

        for _ in range(2):
            deck.focus_pane()
            await shown.until(lambda: seen() == ["pane"])
            for name in ("barriers", "hits"):
                deck.focus_signals(name)
                await shown.until(lambda name=name: seen() == [name])  # type: ignore[misc]
            deck.stack.focus()
            await shown.until(lambda: seen() == [])
