"""The themes of the terminal's own sixteen colours name no other, and can be read in the palettes terminals have."""

from typing import TYPE_CHECKING

import pytest
from contrast import LEAST, text_of
from rich.color import Color, ColorType
from scenes import VIEWS, busy, open_dialog
from textual.color import Color as Shade
from textual.theme import Theme

from tui import themes
from tui.themes.legible import contrast

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

XTERM = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
VGA = "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff"


def shade(color: Color | None, palette: str, default: str) -> Shade:
    if color is None or color.type is ColorType.DEFAULT:
        return Shade.parse(f"#{default}")
    assert color.type is ColorType.STANDARD and color.number is not None, f"{color} isn't one of the sixteen"
    return Shade.parse(f"#{palette.split()[color.number]}")


@pytest.mark.parametrize(
    ("theme", "ink", "paper"), [(themes.ANSI_DARK, "aaaaaa", "000000"), (themes.ANSI_LIGHT, "000000", "ffffff")]
)
async def test_it_has_sixteen_colours_that_can_be_read(console: "Opened", theme: Theme, ink: str, paper: str) -> None:
    async with console(size=(120, 40)) as shown:
        shown.app.theme = theme.name
        await busy(shown)

        def check(where: str) -> None:
            for y, x, segment in text_of(shown.app.screen):
                style = segment.style
                assert style is not None
                for palette in (XTERM, VGA):
                    front, back = shade(style.color, palette, ink), shade(style.bgcolor, palette, paper)
                    assert contrast(front, back) >= LEAST, (where, y, x, segment)

        views = VIEWS if theme.dark else {"typing": VIEWS["typing"]}  # the same rules paint both
        for name, (enter, leave) in views.items():
            await enter(shown)
            await shown.arrived()
            check(name)
            await leave(shown)
        for name in ("new_goal", "signal", "quit", "goal"):
            await open_dialog(shown, name)
            check(name)
            await shown.app.pop_screen()
