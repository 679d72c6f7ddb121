"""The garbage collector looks at everything between keys, not in the middle of a frame."""

import gc
from typing import TYPE_CHECKING

from tui.collecting import Collecting

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_a_console_leaves_the_collector_as_it_was(console: "Opened") -> None:
    before = gc.get_threshold()
    async with console() as shown:
        await shown.start("sleep 1000")
        assert gc.get_threshold()[:2] == before[:2]
        assert gc.get_threshold()[2] > 1_000 * before[2]
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


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
