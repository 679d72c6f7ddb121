"""What is painted, how often, and of what: rows that changed, made once; counts, not times."""

import asyncio
import time
from typing import TYPE_CHECKING, Any, cast

import pytest
from waiting import PATIENCE

from engine.replay import Base, Chunk, Replay, StreamItem
from engine.terminal import Screen, Stream
from tui.bridge.feed import Feed
from tui.bridge.pump import Pump
from tui.bridge.stream import PaneStream
from tui.widgets.emulator import Emulator
from tui.widgets.gutter import MARK

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened
    from tui.widgets.pane import Pane
    from tui.widgets.terminal import TerminalView

LINES = 40
STILL = 5
"""What was painted is the same so often: then all is."""


def coloured_rows(number: int) -> str:
    """Every row of a screen anew, each word in a colour of its own."""
    words = (" ".join(f"\x1b[38;5;{16 + (x + y + number) % 216}mword{x:02}" for x in range(14)) for y in range(LINES))
    return "".join(f"\x1b[{y};1H{row}" for y, row in enumerate(words, 1))


def counts(view: "TerminalView") -> tuple[int, int]:
    return view.made_strips, view.painted_lines


async def still(shown: "Console", pane: "Pane") -> None:
    """Wait until the pane has begun and nothing more of it is painted, however often all that is on its way comes."""
    view = pane.view
    await shown.until(lambda: pane.caught_up and not pane.stream.waiting and view._publish_timer is None)
    before, same = counts(view), 0
    while same < STILL:
        await asyncio.sleep(0.1)
        await shown.pilot.pause()
        same = same + 1 if counts(view) == before else 0
        before = counts(view)


async def test_rows_become_strips_once_and_only_the_changed_ones_again(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000")
        pane = shown.pane(slot)
        view = pane.view
        await still(shown, pane)
        rows = view.room.height
        stream = pane.emulator.stream
        stream.feed("\x1b[2J\x1b[H" + "\r\n".join(f"row {number}" for number in range(rows)))
        pane.show()
        await still(shown, pane)

        made, painted = counts(view)
        view.refresh()
        await still(shown, pane)
        assert view.made_strips == made
        assert view.painted_lines == painted + rows

        stream.feed("\x1b[3;1Hanother third row")
        pane.show()
        await still(shown, pane)
        # The row, and the one that the cursor has left.
        assert view.made_strips == made + 2
        assert "another third row" in shown.pane_text()


async def test_a_screen_of_colours_is_made_a_strip_a_row(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000")
        pane = shown.pane(slot)
        view = pane.view
        await still(shown, pane)
        for number in range(3):
            made, painted = counts(view)
            pane.emulator.stream.feed(coloured_rows(number))
            pane.show()
            await still(shown, pane)
            rows = pane.emulator.screen.lines
            assert view.made_strips - made == rows
            # From the same strips a few times more: when the scroll bar is told how much there is, or a clock ticks.
            assert rows <= view.painted_lines - painted <= 4 * rows


async def test_rows_that_scroll_off_unseen_are_not_counted_to_paint(
    console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000")
        pane = shown.pane(slot)
        await still(shown, pane)
        monkeypatch.setattr(pane.view, "_publish_soon", lambda: None)  # a few times a second they are counted
        screen = pane.emulator.screen
        for number in range(3):
            pane.emulator.stream.feed("".join(f"line {number} {line}\r\n" for line in range(2_000)))
            assert screen.scrollback.uncounted
            pane.show()
            await still(shown, pane)
            assert f"line {number} 1999" in shown.screen_text()
            assert screen.scrollback.uncounted
        assert screen.scrollback.total > 5_000


@pytest.mark.parametrize("went", [False, True])
async def test_marks_of_a_watched_flood_count_no_rows_either(
    console: "Opened", monkeypatch: pytest.MonkeyPatch, *, went: bool
) -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000", watch_patterns=("1997", "1 1998"))
        pane = shown.pane(slot)
        await still(shown, pane)
        monkeypatch.setattr(pane.view, "_publish_soon", lambda: None)  # a few times a second they are counted
        screen = pane.emulator.screen
        if went:
            pane.emulator.stream.feed("one\r\n" * 200)
            pane.marks.go(range(100, 102))
        for number in range(3):
            pane.emulator.stream.feed("".join(f"line {number} {line}\r\n" for line in range(2_000)))
            pane.show()
            assert screen.scrollback.uncounted
            marks = [pane.marks.render_line(y).text for y in range(pane.marks.size.height)]
            marked = [screen.text(pane.view.lead + y) for y, mark in enumerate(marks) if mark == MARK]
            assert marked == [f"line {number} 1997", *["line 1 1998"] * (number == 1)]
        assert bool(pane.marks.here) == went


async def test_a_line_that_goes_on_from_the_row_above_the_screen_is_marked_where_it_begins(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000", watch_patterns=("xERROR",))
        pane = shown.pane(slot)
        await still(shown, pane)
        screen, view = pane.emulator.screen, pane.view
        rows, columns = screen.lines, screen.columns
        pane.emulator.stream.feed("x" * columns + "ERROR\r\n" + "\r\n".join(["more"] * (rows - 1)))
        pane.show()
        assert (screen.scrollback.total, screen.text(0), view.lead) == (1, "ERROR", 0)
        assert MARK not in [pane.marks.render_line(y).text for y in range(rows)]
        view.move_to(0)
        await shown.until(lambda: [pane.marks.render_line(y).text for y in range(2)] == [MARK, " "])


async def test_what_changes_after_a_calm_is_painted_without_waiting_for_the_clock(
    console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console() as shown:
        slot = await shown.start("sleep 1000")
        pane = shown.pane(slot)
        await still(shown, pane)
        monkeypatch.setattr(shown.deck._update_timer, "resume", lambda: None)  # the clock stands
        made, ends = pane.view.made_strips, time.monotonic() + PATIENCE
        while pane.view.made_strips == made:  # at the first change, unless something else was painted right before it
            assert time.monotonic() < ends
            pane.emulator.stream.feed("\x1b[2J\x1b[Hafter the calm")
            pane.show()
            await asyncio.sleep(0.1)  # not the pilot's: it would be the clock


def test_a_screen_counts_its_rows_when_asked() -> None:
    screen = Screen(40, 5)
    Stream(screen).feed("line\r\n" * 1_000)
    assert screen.scrollback.uncounted
    assert screen.scrollback.total == 996
    assert not screen.scrollback.uncounted


@pytest.mark.parametrize(("behind", "most"), [(False, 0.35), (True, 0.18)])
async def test_frames_take_a_share_of_the_time_and_a_smaller_one_from_a_job_that_outruns_its_buffer(
    behind: bool, most: float
) -> None:
    class Flooded(PaneStream):
        """There is always more, and it takes 5 ms of the processor."""

        frames = 0

        @property
        def waiting(self) -> bool:
            return True

        @property
        def behind(self) -> bool:
            return behind

        def step(self, _limit: int) -> int:
            until = time.thread_time() + 0.005
            while time.thread_time() < until:
                pass
            return 0

        def show(self) -> None:
            self.frames += 1

    pane = Flooded(cast("Any", None), cast("Any", None))
    pump = Pump(lambda: [pane])
    pump.wake()
    wall, spent = time.monotonic(), time.thread_time()
    while pane.frames < 12:
        await asyncio.sleep(0.01)
    pump.stop()
    assert time.thread_time() - spent < most * (time.monotonic() - wall)


def test_a_job_is_behind_that_wrote_more_than_is_kept_until_it_writes_little() -> None:
    class Taker(Emulator):
        def being_read(self) -> bool:
            return False

    def taken(item: StreamItem) -> bool:
        feed.put(item)
        while feed.waiting:
            feed.step(100_000)
        return feed.behind

    feed = Feed(Taker(20, 5, pty=True))
    long = "line of a log\r\n" * 10_000
    assert not taken(Replay(0, Base(20, 5, ""), (long,), ()))
    assert not taken(Chunk(feed.position or 0, long))
    assert taken(Replay(900_000, Base(20, 5, ""), (long,), ()))
    assert taken(Chunk(feed.position or 0, long))
    assert not taken(Chunk(feed.position or 0, "done\r\n"))
    assert not taken(Chunk(feed.position or 0, long))
