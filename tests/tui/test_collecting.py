"""The garbage collector looks at everything between keys, not in the middle of a frame."""

import gc
from typing import TYPE_CHECKING

from textual.strip import Strip

from tui.collecting import Collecting, hold_off

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


async def test_a_console_leaves_the_collector_as_it_was(console: "Opened") -> None:
    before = gc.get_threshold()
    async with console() as shown:
        await shown.start("sleep 1000")
        assert gc.get_threshold()[:2] == before[:2]
        assert gc.get_threshold()[2] > 1_000 * before[2]
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_it_doesnt_look_while_the_console_is_loaded() -> None:
    collecting = Collecting()
    hold_off()
    assert not gc.isenabled()
    collecting.begin()
    assert gc.isenabled()
    collecting.end()


def test_it_looks_when_there_was_something_to_do_and_nobody_is_busy() -> None:
    collecting = Collecting()
    collecting.begin()
    try:
        gc.collect()
        collecting.look()
        assert collecting.count == 0
        while gc.get_count()[2] < 30:
            gc.collect(1)
        collecting.touched()
        collecting.look()
        assert collecting.count == 0
        collecting._touched -= 3_600
        collecting.look()
        assert collecting.count == 1
        assert gc.get_count()[2] == 0
    finally:
        collecting.end()


async def strips(shown: "Console", times: int) -> int:
    """How many rows of cells live after the table of keys was opened and closed so many times."""
    for _ in range(times):
        await shown.press("question_mark")
        await shown.until(lambda: "Keys" in shown.screen_text())
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
    gc.collect()
    return sum(isinstance(one, Strip) for one in gc.get_objects())


async def test_dialogs_that_were_closed_leave_nothing_behind(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        few = await strips(shown, 2)
        assert await strips(shown, 6) < few + 100  # one leaves some 300
