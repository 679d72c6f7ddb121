"""Whose size a job's terminal has: the viewer's that was focused last; others show it with its edge, or cut."""

import shlex
import sys
from typing import TYPE_CHECKING

import pytest
from rich.segment import Segment
from rich.style import Style
from sizes import SIZES
from textual.strip import Strip

from tui.widgets.letterbox import Box, boxed

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

PLAIN = Style()


@pytest.mark.parametrize(
    ("row", "columns", "left", "expected"),
    [
        (0, 4, 0, "abcd│   "),
        (2, 4, 0, "────╯   "),
        (3, 4, 0, "        "),
        (0, 8, 0, "abcdefgh"),
        (0, 20, 0, "abcdefg›"),
        (0, 20, 3, "‹bcdefg›"),
        (2, 20, 0, "────────"),
        (-5, 4, 0, "abcd│   "),
    ],
)
def test_a_row_ends_where_its_terminal_does(row: int, columns: int, left: int, expected: str) -> None:
    strip = boxed(Strip([Segment("abcdefgh", PLAIN)]), row, Box(columns, 2, left, PLAIN, PLAIN))
    assert strip.text == expected and strip.cell_length == 8


async def fitted(shown: "Console") -> None:
    slot = next(iter(shown.deck.store))
    view = shown.pane(slot).view
    await shown.until(lambda: (slot.job.cols, slot.job.rows) == tuple(view.room))


async def test_a_size_that_another_viewer_sets_stands_until_this_one_is_focused(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(shlex.join([sys.executable, "-c", SIZES]), name="sizes")
        await fitted(shown)
        shown.engine.resize(slot.job.session_id, 40, 10).result()
        await shown.until(lambda: "10 40" in shown.pane_text())
        await shown.until(lambda: "set elsewhere" in shown.screen_text())
        await shown.pilot.resize_terminal(110, 30)
        await shown.until(lambda: slot.job.cols == 40 and shown.deck.size.width == 110)
        await shown.until(lambda: "10 40" + " " * 35 + "│" in shown.pane_text())
        await shown.until(lambda: "─" * 40 + "╯" in shown.pane_text())
        shown.deck.focus_pane()
        await fitted(shown)
        await shown.until(lambda: "set elsewhere" not in shown.screen_text() and "╯" not in shown.pane_text())


async def test_a_terminal_larger_than_its_view_is_cut_with_a_mark_and_scrolls(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("printf '%0200d\\n' 7; cat", name="long")
        await fitted(shown)
        shown.engine.resize(slot.job.session_id, 300, 50).result()
        await shown.until(lambda: "cut here" in shown.screen_text())
        shown.engine.submit(slot.job.session_id, "abc" * 60).result()
        await shown.until(lambda: any(line.endswith("›") for line in shown.pane_text().split("\n")))
        shown.deck.action_do("pane.right")
        await shown.until(lambda: any(line.startswith("‹") for line in shown.pane_text().split("\n")))


async def test_the_hosts_focus_counts(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("cat")
        await fitted(shown)
        shown.engine.resize(slot.job.session_id, 40, 10).result()
        await shown.until(lambda: "set elsewhere" in shown.screen_text())
        shown.app.on_app_focus()
        await fitted(shown)


async def test_one_by_one_and_back(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(shlex.join([sys.executable, "-c", SIZES]), name="sizes")
        await fitted(shown)
        before = tuple(shown.pane(slot).view.room)
        await shown.pilot.resize_terminal(1, 1)
        await shown.until(lambda: shown.deck.size.width == 1)
        await shown.pilot.resize_terminal(120, 32)
        await shown.until(lambda: tuple(shown.pane(slot).view.room) == before)
        await fitted(shown)
        assert slot.live
