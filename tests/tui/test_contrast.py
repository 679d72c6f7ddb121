"""All text can be read in every theme: 4.5 to 1 at least on what is really painted, 7 to 1 in those for high contrast.

Three themes are looked at where pictures are taken of them, in all screens (`test_screens`); the last of ours and two
of Textual's here. ``JOBDECK_TEST_LOOKS=all``: each of ours and of Textual's in every screen.
"""

import itertools
import os
from typing import TYPE_CHECKING

import pytest
from contrast import LEAST, ratio, unreadable
from rich.color import Color as RichColor
from scenes import DIALOGS, VIEWS, busy, open_dialog
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from engine.terminal import Pen
from tui import themes
from tui.widgets.inks import Inks

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

SHADED = [theme for theme in themes.OURS if not theme.ansi]
"""Of the others nobody knows the shades: `test_ansi_theme` looks at those."""
TEXTUALS = [themes.lifted(theme) for theme in BUILTIN_THEMES.values() if not theme.ansi]
"""As they are worn here."""
EVERYWHERE = os.environ.get("JOBDECK_TEST_LOOKS") == "all"
PAINTED = [*SHADED, *TEXTUALS] if EVERYWHERE else [themes.CONTRAST_LIGHT, *TEXTUALS[:2]]
"""The others of ours are looked at by `test_screens`."""
KINDS = ("new_goal", "signal")
"""Dialogs with every kind of field: text, several lines, a choice, boxes to tick, a list, buttons."""
NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
SIXTEEN = (*NAMES, *(f"bright{name}" for name in NAMES))


@pytest.mark.parametrize("theme", PAINTED, ids=lambda theme: theme.name)
async def test_what_is_painted_can_be_read(console: "Opened", theme: Theme) -> None:
    least = 7.0 if "contrast" in theme.name else LEAST
    found = {}
    async with console(size=(120, 40)) as shown:
        shown.app.register_theme(theme)
        shown.app.theme = theme.name
        await busy(shown)
        for name, (enter, leave) in VIEWS.items():
            await enter(shown)
            await shown.arrived()
            found[name] = unreadable(shown.app.screen, least)
            await leave(shown)
        shown.deck.header.stopped = "engine stopped"
        await shown.arrived()
        found["stopped"] = unreadable(shown.app.screen, least)
        for name in DIALOGS if EVERYWHERE else KINDS:
            found[name] = unreadable(await open_dialog(shown, name), least)
            await shown.app.pop_screen()
    assert not {name: bad for name, bad in found.items() if bad}


@pytest.mark.parametrize("theme", SHADED, ids=lambda theme: theme.name)
def test_what_jobs_print_in_the_sixteen_colours_can_be_read(theme: Theme) -> None:
    """But black on black, dim and exact shades: those are as the job has asked."""
    assert theme.foreground is not None and theme.background is not None
    inks = Inks(theme.variables, Color.parse(theme.foreground), Color.parse(theme.background))
    seen: set[tuple[RichColor | None, RichColor | None]] = set()
    for ink, ground in itertools.product(("default", *SIXTEEN), repeat=2):
        if ink != ground or ink == "default":
            for reverse in (False, True):
                style = inks.style(Pen(fg=ink, bg=ground, reverse=reverse))
                assert ratio(style.color, style.bgcolor) >= LEAST, (ink, ground, reverse)
                seen.add((style.color, style.bgcolor))
    assert len(seen) > 200  # they are still told apart


def test_what_a_job_hides_stays_hidden() -> None:
    inks = Inks(themes.DARK.variables, Color.parse("#c8d0ee"), Color.parse("#12141c"))
    hidden = inks.style(Pen(fg="red", bg="red"))
    assert hidden.color == hidden.bgcolor
    exact = inks.style(Pen(fg="202020", bg="black"))
    assert exact.color is not None and exact.color.name == "#202020"
