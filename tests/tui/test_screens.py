"""Every screen of the console, as it looks at three sizes: text grids to look at, with wide and long names.

``PICTURES=write`` writes them anew, to be looked at before they are kept. What differs from run to run is a 0; where a
row comes again and again, it stands there three times; of views of the deck there are the rows that differ from it.
Each size is worn in another theme, and all text in it can be read. Two drawings show the deck's colours.
"""

import itertools
import os
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from contrast import LEAST, Unreadable, unreadable
from drawing import svg
from rich.segment import Segment
from scenes import DIALOGS, VIEWS, busy, fitted, open_dialog, out_of_sight, without_trouble
from standing import looks_like, standing
from textual.geometry import Region
from textual.strip import Strip
from waiting import PATIENCE

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

PICTURES = Path(__file__).parent / "pictures"
WRITES = os.environ.get("PICTURES") == "write"
SAME = 3
"""So many rows of one kind in a row are drawn."""


def steady(text: str) -> str:
    """Without the time of day, ages and countdowns; as wide as before."""
    return re.sub(r"\d+(:\d\d)+", lambda found: re.sub(r"\d", "0", found.group()), text)


def rows_of(shown: "Console") -> list[Strip]:
    return [Strip(line) for line in shown.app.screen._compositor.render_strips()]


def grid(shown: "Console", part: Region) -> list[str]:
    """A part of the screen as text."""
    return [steady(row.crop(part.x, part.right).text).rstrip() for row in rows_of(shown)[part.y : part.bottom]]


def picture(rows: list[str], beside: Sequence[str] = ()) -> str:
    """These rows; where there is another grid ``beside`` them, those that differ from it, with their numbers."""
    if beside:
        return "".join(
            f"{y:2} {row}\n" for y, (row, other) in enumerate(zip(rows, beside, strict=True)) if row != other
        )
    out: list[str] = []
    for row, same in itertools.groupby(rows):
        many = len(list(same))
        out += [row] * min(many, SAME)
        out += [f"⋮ {many - SAME} more like it"] if many > SAME else []
    return "\n".join(out) + "\n"


def parted(text: str) -> dict[str, str]:
    """The pictures of a file by their names; a drawing is a file of its own."""
    if text.startswith("<svg"):
        return {"deck": text}
    names = re.split(r"^== (.*)\n", text, flags=re.MULTILINE)[1:]
    return dict(zip(names[::2], names[1::2], strict=True))


def coloured(shown: "Console") -> str:
    """The screen as a drawing."""
    rows = [[Segment(steady(part.text), part.style) for part in row.simplify()] for row in rows_of(shown)]
    return svg(rows, shown.app.size.width)


class Album:
    """Pictures by name: those that are kept, and what was drawn."""

    def __init__(self, path: Path, shown: "Console") -> None:
        self._path, self._shown = path, shown
        self._kept = {} if WRITES else parted(path.read_text(encoding="utf-8"))
        self._drawn: dict[str, str] = {}
        self.hard: dict[str, list[Unreadable]] = {}
        """What can't be read, by name."""

    async def take(self, name: str, draw: Callable[[], str]) -> None:
        """Draw until it is as it was; where it is written anew, until it stands still."""
        if WRITES:
            self._drawn[name] = await standing(self._shown, draw)
        else:
            told = f"{name}: PICTURES=write writes it anew; look at it then"
            await looks_like(self._shown, draw, self._kept.get(name, ""), told)
            self._drawn[name] = self._kept[name]
        least = 7.0 if "contrast" in self._shown.app.theme else LEAST
        deadline = time.monotonic() + PATIENCE / 10
        while (hard := unreadable(self._shown.app.screen, least)) and time.monotonic() < deadline:
            await self._shown.pilot.pause(0.05)  # the text is there before the theme
        self.hard[name] = hard

    def close(self) -> None:
        """All have been taken."""
        if WRITES:
            drawing = self._drawn.get("deck", "") if self._path.suffix == ".svg" else ""
            parts = (f"== {name}\n{text}" for name, text in self._drawn.items())
            self._path.write_text(drawing or "".join(parts), encoding="utf-8")
        assert WRITES or list(self._kept) == list(self._drawn)
        assert {name: bad for name, bad in self.hard.items() if bad} == {}


@pytest.mark.parametrize(
    ("size", "theme"),
    [((80, 24), "jobdeck-dark"), ((120, 40), "jobdeck-light"), ((200, 60), "jobdeck-contrast-dark")],
)
async def test_each_screen_looks_like_this(
    size: tuple[int, int], theme: str, console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")  # the folder that is offered for a new job
    async with console(size=size) as shown:
        shown.app.theme = theme
        album = Album(PICTURES / f"screens-{size[0]}x{size[1]}.txt", shown)
        whole = Region(0, 0, *size)
        without_trouble(shown)
        await album.take("empty", lambda: picture(grid(shown, whole)))
        await busy(shown)
        deck: list[str] = []

        def differing() -> str:
            return picture(grid(shown, whole), deck)

        for name, (enter, leave) in VIEWS.items():
            await enter(shown)
            await fitted(shown)
            await album.take(name, differing)
            deck = deck or grid(shown, whole)
            await leave(shown)
            await fitted(shown)
        for name in DIALOGS:
            dialog = await open_dialog(shown, name)
            await album.take(name, lambda: picture(grid(shown, dialog.query_one(".dialog").region)))  # noqa: B023
            assert out_of_sight(dialog) == [], name
            await shown.app.pop_screen()
        for action, name in (("app.palette", "palette"), ("view.themes", "themes")):
            shown.deck.action_do(action)
            await shown.until(lambda: shown.app.screen is not shown.deck and shown.app.screen.children)
            await album.take(name, lambda: picture(grid(shown, shown.app.screen.children[0].region)))
            await shown.press("escape")
            await shown.until(lambda: shown.app.screen is shown.deck)
    album.close()


@pytest.mark.parametrize("theme", ["jobdeck-dark", "jobdeck-light"])
async def test_the_deck_has_these_colours(theme: str, console: "Opened") -> None:
    async with console(size=(100, 30)) as shown:
        shown.app.theme = theme
        await busy(shown)
        await fitted(shown)
        album = Album(PICTURES / f"deck-{theme.removeprefix('jobdeck-')}.svg", shown)
        await album.take("deck", lambda: coloured(shown))
    album.close()
