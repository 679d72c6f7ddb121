"""What a job used in the last minutes: bars in the drawer, of the console as a whole in the header."""

from typing import TYPE_CHECKING

import pytest
from job_views import running
from scenes import busy

from engine.results import JobUse, Usage
from tui.ascii_only import in_ascii
from tui.past import LOOKS, Past
from tui.show.sparkline import LEVELS, sparkline
from tui.store import JobStore
from tui.widgets.header import Header

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


@pytest.mark.parametrize(
    ("values", "width", "bars"),
    [
        ([], 4, "    "),
        ([0.0, 1.0], 4, "  ▁█"),
        ([0, 1, 2, 3, 4, 5, 6], 7, LEVELS.replace("█", "█")),
        ([0, 6, 0, 0, 0, 3], 3, "█▁▅"),
        ([6, 0, 0, 0, 3], 3, "█▁▅"),
        ([99.0], 1, "█"),
        ([1.0], 0, ""),
    ],
)
def test_the_newest_is_at_the_right_and_peaks_stay(values: list[float], width: int, bars: str) -> None:
    assert sparkline(values, width, 6 if len(values) > 2 else 1) == bars


def test_in_ascii_every_level_is_told_apart() -> None:
    assert len(set(in_ascii(LEVELS))) == len(LEVELS) and in_ascii(LEVELS).isascii()


def test_only_so_many_looks_are_kept_of_each_job_and_none_of_one_that_took_its_place() -> None:
    store = JobStore()
    store.put_failed("x", "y")
    job = running("web")
    store._put(job)
    for look in range(LOOKS * 3):
        use = JobUse(
            session_id=job.session_id, cpu=float(look), rss=look, processes=1, waiting=False, stopped=False
        )  # fmt: skip
        store.take_usage(Usage(at=0.0, jobs=(use,)))
    slot = store.get(job.slot)
    assert slot is not None and len(slot.past) == LOOKS and slot.past.cpu[-1] == LOOKS * 3 - 1
    store._put(running("web", session_id="proc_next", started_at=job.started_at + 1))
    assert len(slot.past) == 0


async def test_the_drawer_has_two_rows_of_bars(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await busy(shown)
        shown.deck.action_do("job.details")

        def rows() -> list[str]:
            return [line for line in shown.screen_text().split("\n") if "over 40 s" in line]

        await shown.until(lambda: len(rows()) == 2)
        assert "most 24% over 40 s" in rows()[0] and "100M to 119M" in rows()[1]
        assert all(set(LEVELS) & set(row) for row in rows())


async def test_the_header_has_some_where_there_is_room(console: "Opened") -> None:
    async with console(size=(200, 40)) as shown:
        header = shown.app.screen.query_one(Header)
        for share in (0.1, 0.4, 2.0):
            header.use(share, 1 << 20)
        assert "▁▂█ cpu 200%" in header.plain
        await shown.pilot.resize_terminal(42, 20)
        await shown.until(lambda: "cpu 200%" in header.plain and "█" not in header.plain)


def test_the_first_look_of_a_job_has_no_share() -> None:
    past = Past()
    past.add(None, 7)
    assert past.cpu == [0.0] and past.rss == [7.0]
