"""A theme is worn while it is looked at in the list: Escape puts the old one back, Enter keeps and remembers it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command_line import verb
from file_jobs import BASE
from rich.color import ColorSystem
from textual.app import App
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme
from textual.widgets import Input

from engine import Engine
from engine.config.loading import load
from tui import themes
from tui.screens.themes import ChooseTheme
from tui.themes.derived import GROUNDS
from tui.themes.eight_bit import in_eight_bit, palette
from tui.themes.judging import INKS, weakest
from tui.themes.legible import contrast
from tui.wardrobe import Colours, Wardrobe

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

FILE = '[themes.mine]\nprimary = "#334455"\nbackground = "#202020"\n'


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobdeck.toml").write_text(FILE)
    with Engine(configuration=load(base=BASE), follows=True) as engine:
        yield engine


async def choosing(shown: "Console") -> ChooseTheme:
    shown.deck.action_do("view.themes")
    await shown.until(lambda: isinstance(shown.app.screen, ChooseTheme) and isinstance(shown.app.focused, Input))
    await shown.arrived()
    dialog = shown.app.screen
    assert isinstance(dialog, ChooseTheme)
    return dialog


def remembered(shown: "Console") -> str:
    assert shown.deck.outfit is not None
    return shown.deck.outfit.wardrobe.remembered


async def test_escape_puts_the_old_one_back_and_enter_keeps_the_new_one(console: "Opened") -> None:
    async with console(size=(120, 40)) as shown:
        await choosing(shown)
        await shown.press("down")
        await shown.until(lambda: shown.app.theme == "jobdeck-light")
        assert remembered(shown) == "jobdeck-dark"
        await shown.press("down")
        await shown.until(lambda: shown.app.theme == "jobdeck-contrast-dark")
        await shown.back()
        await shown.until(lambda: shown.app.theme == remembered(shown) == "jobdeck-dark")
        await choosing(shown)
        await shown.press("down")
        await shown.until(lambda: shown.app.theme == "jobdeck-light")
        await shown.press("enter")
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.until(lambda: shown.app.theme == remembered(shown) == "jobdeck-light")


async def test_the_mouse_does_it_too(console: "Opened") -> None:
    async with console(size=(120, 40)) as shown:
        dialog = await choosing(shown)
        rows = dialog.query_one("#theme-rows")
        await shown.pilot.hover(rows, offset=(5, 3))
        await shown.until(lambda: shown.app.theme == "jobdeck-contrast-light")
        await shown.pilot.click(rows, offset=(5, 3))
        await shown.until(lambda: shown.app.screen is shown.deck)
        await shown.until(lambda: remembered(shown) == "jobdeck-contrast-light")


async def test_themes_of_the_file_are_listed_with_how_well_they_can_be_read(console: "Opened", tmp_path: Path) -> None:
    async with console(size=(120, 40)) as shown:
        await choosing(shown)
        await shown.type("mine")
        await shown.until(lambda: shown.app.theme == "mine")
        await shown.until(lambda: "mine" in shown.screen_text() and "! poor" in shown.screen_text())
        await shown.back()
        await shown.until(lambda: shown.app.theme == "jobdeck-dark")


async def test_the_files_own_wish_comes_back_and_that_is_said(console: "Opened", tmp_path: Path) -> None:
    async with console(size=(120, 40)) as shown:
        (tmp_path / "jobdeck.toml").write_text('[settings]\ntheme = "jobdeck-light"\n')
        await shown.until(lambda: shown.app.theme == "jobdeck-light")
        await choosing(shown)
        await shown.press("down")
        await shown.until(lambda: shown.app.theme == "jobdeck-contrast-dark")
        await shown.press("enter")
        await shown.until(lambda: any("until jobdeck ends" in text for text in shown.said))
        assert shown.app.theme == "jobdeck-contrast-dark"


def test_a_theme_that_is_hard_to_read_is_a_warning_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "jobdeck.toml").write_text(FILE)
    said = verb("config")
    assert said.exit_code == 0
    assert "jobdeck.toml:1: theme 'mine' is hard to read: " in said.stderr


def test_every_theme_of_ours_is_good_by_the_same_measure() -> None:
    for theme in themes.OURS:
        weak = weakest(theme)
        assert weak is None or weak.ratio >= 4.5, theme.name


async def test_textuals_own_themes_are_worn_as_they_can_be_read_and_a_files_of_the_same_name_as_it_says() -> None:
    app: App[None] = App()
    wardrobe = Wardrobe(app)
    app.register_theme(Theme("dracula", primary="#222222", background="#000000"))
    wardrobe.begin("nord")
    worn = weakest(app.get_theme("nord") or themes.DARK)
    assert worn is not None and worn.ratio >= 4.5
    for theme in wardrobe.offered(["dracula"]):
        weak = weakest(theme)
        assert weak is None or (weak.ratio >= 4.5) is (theme.name != "dracula"), theme.name
        stock = BUILTIN_THEMES.get(theme.name)
        assert stock is None or theme.name == "dracula" or theme.background == stock.background


async def test_where_there_are_few_colours_the_terminals_own_stand_in() -> None:
    app: App[None] = App()
    wardrobe = Wardrobe(app)
    wardrobe.begin("jobdeck-contrast-light")
    wardrobe.fit(Colours.SIXTEEN)
    assert (app.theme, wardrobe.remembered) == ("jobdeck-ansi-light", "jobdeck-contrast-light")
    wardrobe.fit(Colours.ALL)
    assert (app.theme, wardrobe.remembered) == ("jobdeck-contrast-light", "jobdeck-contrast-light")
    wardrobe.fit(Colours.SIXTEEN)
    wardrobe.try_on("nord")
    assert (app.theme, wardrobe.remembered) == ("nord", "jobdeck-contrast-light")
    wardrobe.put_back()
    assert (app.theme, wardrobe.remembered) == ("jobdeck-ansi-light", "jobdeck-contrast-light")
    wardrobe.wear("nord")
    assert (app.theme, wardrobe.remembered) == ("nord", "nord")


@pytest.mark.parametrize("theme", [theme for theme in themes.OURS if not theme.ansi], ids=lambda theme: theme.name)
def test_in_256_colours_text_can_be_read_too(theme: Theme) -> None:
    """Rich rounds what is painted to these colours: so they are left as they are, and no theme's tones run together."""
    rounded = in_eight_bit(theme)
    made = {**rounded.to_color_system().generate(), **rounded.variables}

    def sent(name: str) -> Color:
        color = Color(*Color.parse(made[name]).rich_color.downgrade(ColorSystem.EIGHT_BIT).get_truecolor())
        assert color in palette()
        return color

    grounds = [sent(name) for name in (*GROUNDS, "selected-idle", "typing")]
    for ink in INKS:
        for ground in grounds:
            assert contrast(sent(ink), ground) >= 4.5, ink
    assert len({sent(name) for name in ("background", "selected")}) == 2
    assert len({sent(name) for name in ("success", "warning", "error", "accent", "foreground")}) == 5


async def test_where_there_are_256_colours_every_theme_is_made_of_them() -> None:
    app: App[None] = App()
    wardrobe = Wardrobe(app)
    wardrobe.begin("jobdeck-light")
    wardrobe.fit(Colours.EIGHT_BIT)
    assert app.theme == "jobdeck-light"
    wardrobe.add(Theme(name="mine", primary="#334455"))
    for name in ("jobdeck-light", "mine", "nord"):
        wardrobe.try_on(name)
        assert app.theme == name and Color.parse(app.current_theme.primary) in palette().values()


async def test_without_colours_none_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app: App[None] = App()
    wardrobe = Wardrobe(app)
    wardrobe.begin("")
    assert (app.theme, wardrobe.remembered) == ("jobdeck-ansi-dark", "jobdeck-dark")
