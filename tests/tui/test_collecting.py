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
        collecting._touched += 3_600  # we may be held up for longer than one has to be still
        collecting.look()
        assert collecting.count == 0
        collecting._touched -= 7_200
        collecting.look()
        assert collecting.count == 1
        assert gc.get_count()[2] == 0
    finally:
        collecting.end()


async def read_the_keys(shown: "Console", times: int) -> None:
    """Open the table of keys and close it again."""
    for _ in range(times):
        await shown.press("question_mark")
        await shown.until(lambda: "Keys" in shown.screen_text())
        await shown.back()


def strips() -> int:
    """How many rows of cells live."""
    gc.collect()
    return sum(isinstance(one, Strip) for one in gc.get_objects())


async def test_dialogs_that_were_closed_leave_nothing_behind(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await read_the_keys(shown, 2)
        few = strips()
        await read_the_keys(shown, 6)
        # One leaves some 300; the last may be just going.
        await shown.until(lambda: strips() < few + 100)
