"""Several panes side by side: laid out by the room there is, focused by keys and mouse, closed without ending a job."""

import os
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from standing import looks_like
from textual import events

from tui.bridge.pump import FRAME_SECONDS
from tui.store import Slot
from tui.widgets.line import Line
from tui.widgets.tiling import GOOD_COLUMNS, LEAST_COLUMNS, LEAST_ROWS, Tiling, fitting, tiling

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

GRIDS = Path(__file__).parent / "grids"


@pytest.mark.parametrize(
    ("panes", "width", "height", "expected"),
    [
        (1, 1, 1, Tiling(1, 1)),
        (2, 82, 36, Tiling(2, 1)),
        (2, 54, 21, Tiling(1, 2)),
        (3, 82, 36, Tiling(2, 2)),
        (3, 180, 20, Tiling(3, 1)),
        (4, 144, 50, Tiling(2, 2)),
        (4, 300, 50, Tiling(4, 1)),
        (3, 54, 21, None),
        (2, 39, 15, None),
        (4, 60, 33, Tiling(1, 4)),
    ],
)
def test_panes_stand_side_by_side_while_they_are_wide_enough(
    panes: int, width: int, height: int, expected: Tiling | None
) -> None:
    assert tiling(panes, width, height) == expected


def test_no_pane_of_a_split_is_smaller_than_the_least() -> None:
    for panes in (2, 3, 4):
        for width in range(1, 260, 3):
            for height in range(1, 70, 2):
                grid = tiling(panes, width, height)
                if grid is not None:
                    least = {1: 1, 2: LEAST_COLUMNS}.get(grid.columns, GOOD_COLUMNS)
                    assert width // grid.columns >= least and height // grid.rows >= LEAST_ROWS
                    assert panes <= grid.columns * grid.rows <= panes + 1


def test_when_there_is_less_room_the_chosen_pane_stays() -> None:
    names = ["a", "b", "c", "d"]
    assert fitting(names, "c", 200, 60) == names
    assert fitting(names, "c", 82, 12) == ["c", "d"]
    assert fitting(names, "a", 82, 12) == ["a", "b"]
    for name in names:
        assert fitting(names, name, 20, 5) == [name]


async def open_named(shown: "Console", *names: str) -> None:
    for name in names:
        await shown.start(f"echo this is {name}; cat", name=name, cwd="/")
        await shown.until(lambda: f"this is {name}" in shown.pane_text())  # noqa: B023


def seen(shown: "Console") -> list[str]:
    area = shown.deck.area
    return [pane.job.name for view in area.views for pane in (area.pane_of(name) for name in area.order)
            if pane is not None and pane.view is view]  # fmt: skip


def seen_names(shown: "Console") -> list[str]:
    area = shown.deck.area
    return [name for name in area.order if (pane := area.pane_of(name)) is not None and pane.view in area.views]


def in_view(shown: "Console") -> bool:
    """Has the active pane the focus?"""
    return shown.deck.area.pane_has_focus


def active(shown: "Console") -> str:
    pane = shown.deck.area.pane
    return pane.job.name if pane is not None else ""


async def test_v_shows_one_more_each_time_and_then_one_alone(console: "Opened") -> None:
    async with console(size=(200, 60)) as shown:
        await open_named(shown, "one", "two", "three")
        await shown.press("1", "v")
        assert seen(shown) == ["one", "two"] and active(shown) == "one"
        await shown.until(lambda: "this is one" in shown.screen_text() and "this is two" in shown.screen_text())
        await shown.press("v")
        assert seen(shown) == ["one", "two", "three"]
        await shown.press("v")
        assert seen(shown) == ["one"] and shown.deck.area.order and len(shown.deck.area.order) == 3


async def test_each_pane_gives_its_jobs_terminal_the_size_it_has(console: "Opened") -> None:
    async with console(size=(200, 60)) as shown:
        await open_named(shown, "one", "two", "three")
        await shown.press("v", "v")
        slots = list(shown.deck.store)

        def rows() -> list[int]:
            return sorted(slot.job.rows for slot in slots)

        def fit(*slots: Slot) -> bool:
            return all((slot.job.cols, slot.job.rows) == tuple(shown.pane(slot).view.room) != (0, 0) for slot in slots)

        await shown.until(lambda: fit(*slots) and rows()[-1] > 1.5 * rows()[0], "one beside two that share its height")
        low = rows()[0]
        await shown.press("V")
        await shown.until(lambda: fit(slots[-1]) and slots[-1].job.rows > 1.5 * low)


async def test_the_focus_goes_from_pane_to_pane_by_tab_by_number_and_by_click(console: "Opened") -> None:
    async with console(size=(200, 60)) as shown:
        await open_named(shown, "one", "two", "three")
        await shown.press("1", "v")
        shown.deck.set_focus(shown.deck.stack)
        await shown.press("tab")
        assert active(shown) == "one" and in_view(shown)
        await shown.press("tab")
        assert active(shown) == "two" and in_view(shown)
        await shown.press("1")
        assert active(shown) == "one" and in_view(shown)
        for number, name in ((1, "two"), (0, "one")):
            await shown.pilot.click(shown.deck.area.views[number], offset=(5, 5))
            await shown.until(lambda: active(shown) == name and in_view(shown))  # noqa: B023
        await shown.press("3")
        assert seen(shown) == ["three", "two"], "a tab that isn't seen takes the active pane's place"


async def test_closing_a_tab_of_a_split_gives_the_others_its_room(console: "Opened") -> None:
    async with console(size=(200, 60)) as shown:
        await open_named(shown, "one", "two", "three")
        await shown.press("1", "v", "v")
        shown.deck.focus_pane()
        await shown.press("2", "c")
        await shown.until(lambda: seen(shown) == ["one", "three"])
        assert active(shown) == "three" and in_view(shown)
        assert all(slot.live for slot in shown.deck.store)
        await shown.press("c", "c")
        await shown.until(lambda: shown.deck.area.order == ())
        assert shown.deck.focused is shown.deck.stack


async def test_a_pane_is_taken_out_by_its_cross_and_its_tab_stays(console: "Opened") -> None:
    async with console(size=(200, 60)) as shown:
        await open_named(shown, "one", "two")
        await shown.press("1", "v")
        pane = shown.pane(next(iter(shown.deck.store)))
        line = pane.query(".pane--note").first(Line)
        area = shown.deck.area
        await shown.until(lambda: 10 < line.region.width < area.size.width * 0.6 and line.plain.endswith("×"))
        await shown.pilot.click(line, offset=(line.region.width - 2, 0))
        await shown.until(lambda: seen(shown) == ["two"])
        assert len(shown.deck.area.order) == 2


async def test_zoom_has_one_of_them_alone_and_gives_them_back(console: "Opened") -> None:
    async with console(size=(200, 60)) as shown:
        await open_named(shown, "one", "two")
        await shown.press("1", "v", "2", "z")
        assert seen(shown) == ["two"]
        assert not shown.pane(next(iter(shown.deck.store))).stream.attached
        await shown.press("z")
        assert seen(shown) == ["one", "two"]


async def test_a_narrow_terminal_stacks_them_or_says_why_not(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        await open_named(shown, "one", "two", "three")
        await shown.press("1", "v")
        first, second = shown.deck.area.views
        await shown.until(lambda: second.region.y > first.region.bottom and first.region.x == second.region.x)
        await shown.press("v")
        assert seen(shown) == ["one"]
        await shown.press("v")
        shown.deck.focus_pane()
        await shown.pilot.resize_terminal(38, 12)
        await shown.until(lambda: len(shown.deck.area.views) == 1)
        await shown.press("V", "v")
        await shown.until(lambda: any("No room for a split" in said for said in shown.said))
        await shown.pilot.resize_terminal(1, 1)
        await shown.until(lambda: shown.deck.size.width == 1)
        await shown.pilot.resize_terminal(200, 60)
        await shown.until(shown.deck.area.can_split)
        await shown.press("v")
        await shown.until(lambda: "this is one" in shown.screen_text() and "this is two" in shown.screen_text())


async def test_one_open_tab_is_no_split_and_that_is_said(console: "Opened") -> None:
    async with console() as shown:
        await open_named(shown, "one")
        await shown.press("v")
        await shown.until(lambda: any("several open tabs" in said for said in shown.said))
        assert seen(shown) == ["one"]


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_whatever_keys_come_the_panes_are_whole(console: "Opened", seed: int) -> None:
    chance = random.Random(seed)
    keys = ["v", "v", "V", "z", "c", "enter", "tab", "1", "2", "3", "4", "ctrl+pagedown"]
    async with console(size=(200, 60)) as shown:
        await open_named(shown, "one", "two", "three", "four")
        area = shown.deck.area
        for _ in range(60):
            if chance.random() < 0.1:
                await shown.pilot.resize_terminal(*chance.choice([(80, 24), (200, 60), (120, 40), (50, 12)]))
            # As fast as they are taken: a pilot waits for an idle process after each, which four painting panes aren't.
            key = chance.choice(keys)
            shown.app.post_message(events.Key(key, key if len(key) == 1 else None))
            await shown.arrived()
            assert (area.active is None) == (not area.order) and (
                area.active is None or area.active in seen_names(shown)
            )
            assert len(set(area.split.names)) == len(area.split.names) and set(area.split.names) <= set(area.order)
        panes = [area.pane_of(name) for name in area.order]
        await shown.until(lambda: all(pane is None or pane.display == (pane.view in area.views) for pane in panes))
        assert all(slot.live for slot in shown.deck.store)


async def test_a_flood_beside_three_others_costs_frames_not_chunks_and_the_others_go_on(
    console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(size=(200, 60)) as shown:
        flood = await shown.start("yes flooding", name="flood")
        calm = [await shown.start("while sleep 0.05; do echo more; done", name=f"calm {n}") for n in range(3)]
        await shown.press("1", "v", "v", "v")
        assert len(shown.deck.area.views) == 4
        pump = shown.deck.bridge.pump
        frames, waiting = [0], [0]
        frame = pump._frame

        def counted() -> None:
            frames[0] += 1
            waiting[0] = max(waiting[0], *(len(stream._feed._items) for stream in shown.deck.area.streams()))
            frame()

        monkeypatch.setattr(pump, "_frame", counted)
        began, chars = time.monotonic(), flood.job.total_output_chars
        before = [slot.job.total_output_chars for slot in calm]
        await shown.until(lambda: flood.job.total_output_chars > chars + 5_000_000)
        await shown.until(
            lambda: all(slot.job.total_output_chars > one + 100 for slot, one in zip(calm, before, strict=True))
        )
        for slot in calm:
            shown_lines = shown.pane(slot).stream.position or 0
            await shown.until(lambda: (shown.pane(slot).stream.position or 0) > shown_lines)  # noqa: B023
        seconds = time.monotonic() - began
        # A frame that comes too early for its cost is put off: it runs twice, once for nothing.
        assert 0 < frames[0] <= 2 * seconds / FRAME_SECONDS + 2
        assert waiting[0] <= 1, "one item is in flight to a viewer, however much the job writes"


def picture(shown: "Console") -> str:
    """The panes with their tabs as they are painted; the lines below the views, where pids stand, are ruled."""
    area = shown.deck.area
    rows = [list(row.ljust(area.region.right)) for row in shown.screen_text().split("\n")]
    for view in area.views:
        pane = view.parent.parent if view.parent is not None else None
        assert pane is not None
        line = pane.query(".pane--status").first().region
        rows[line.y][line.x : line.right] = "═" * line.width
    # A scroll bar tells of lines that went up while the panes found their sizes: how many is a matter of moments.
    cut = ("".join(row[area.region.x : area.region.right]).translate(_NO_BARS).rstrip() for row in rows[1:-1])
    return "\n".join(cut) + "\n"


_NO_BARS = str.maketrans(dict.fromkeys("▁▂▃▄▅▆▇█", " "))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_splits_as_they_look(console: "Opened", size: tuple[int, int]) -> None:
    async with console(size=size) as shown:
        await open_named(shown, "one", "two", "three", "four")
        await shown.press("1")
        path = GRIDS / f"split-{size[0]}x{size[1]}.txt"
        keys, rows = ("v", "v", "v", "z"), size[1] - 2
        kept = path.read_text("utf-8").split("\n") if path.exists() else []
        pictures = []
        for number, key in enumerate(keys):
            await shown.press(key)
            if os.environ.get("WRITE_GRIDS"):
                await shown.pilot.pause(8.0)  # all fits, and no toast is left
                pictures.append(picture(shown))
            else:
                begin = number * (rows + 1)
                wanted = "\n".join(kept[begin : begin + rows]) + "\n"
                await looks_like(shown, lambda: picture(shown), wanted)
        if pictures:
            path.parent.mkdir(exist_ok=True)
            path.write_text("\n".join(pictures), "utf-8")
