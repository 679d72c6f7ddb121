"""Tabs come and go without a job noticing; what is hidden costs nothing and misses nothing."""

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sizes import SIZES

if TYPE_CHECKING:
    from tests.tui.conftest import Opened

NUMBERS = "i=0; while [ ! -e {stop} ]; do i=$((i+1)); echo line $i; sleep 0.005; done; echo the end; sleep 1000"
"""Prints numbered lines until there is a file of that name."""


def numbers(lines: list[str]) -> list[int]:
    return [int(found[1]) for line in lines if (found := re.fullmatch(r"line (\d+)", line))]


async def test_a_closed_tab_leaves_its_job_running_and_stays_closed(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("i=0; while sleep 0.05; do i=$((i+1)); echo tick $i; done")
        await shown.until(lambda: "tick 2" in shown.pane_text())
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == ())
        seen = slot.job.total_output_chars
        await shown.until(lambda: slot.job.total_output_chars > seen + 20)
        assert slot.live
        assert shown.deck.area.order == ()
        assert shown.deck.focused is shown.deck.stack


async def test_a_tab_reopened_in_mid_stream_has_each_line_once_and_in_order(console: "Opened", tmp_path: Path) -> None:
    async with console() as shown:
        slot = await shown.start(NUMBERS.format(stop=tmp_path / "stop"))
        for _ in range(5):
            before = slot.job.total_output_chars
            await shown.press("c")
            await shown.until(lambda: shown.deck.area.order == ())
            shown.deck.area.open(slot.id)
            await shown.wrote_more(slot, before)
        (tmp_path / "stop").touch()
        await shown.until(lambda: "the end" in shown.pane_text())
        seen = numbers(shown.pane_lines(slot))
        assert len(seen) > 5
        assert seen == list(range(1, len(seen) + 1))


async def test_a_tab_that_was_hidden_goes_on_where_it_stood(console: "Opened", tmp_path: Path) -> None:
    async with console() as shown:
        slot = await shown.start(NUMBERS.format(stop=tmp_path / "stop"))
        await shown.start("sleep 1000")
        for _ in range(5):
            before = slot.job.total_output_chars
            await shown.press("1")
            await shown.wrote_more(slot, before)
            await shown.press("2")
        await shown.press("1")
        (tmp_path / "stop").touch()
        await shown.until(lambda: "the end" in shown.pane_text())
        seen = numbers(shown.pane_lines(slot))
        assert len(seen) > 5
        assert seen == list(range(1, len(seen) + 1))


async def test_a_hidden_pane_is_detached_and_paints_nothing(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("while sleep 0.01; do echo more; done")
        await shown.until(lambda: "more" in shown.pane_text())
        await shown.start("echo front; sleep 1000")
        await shown.until(lambda: "front" in shown.pane_text())
        pane = shown.pane(slot)
        assert not pane.stream.attached
        painted, position, chars = pane.view.painted_lines, pane.stream.position, slot.job.total_output_chars
        await shown.until(lambda: slot.job.total_output_chars > chars + 200)
        assert pane.view.painted_lines == painted
        assert pane.stream.position == position


async def test_closing_moves_to_the_neighbour(console: "Opened") -> None:
    async with console() as shown:
        slots = [await shown.start("sleep 1000", name=name) for name in ("one", "two", "three")]
        await shown.press("2", "c")
        await shown.until(lambda: len(shown.deck.area.order) == 2)
        assert shown.deck.area.active == slots[2].id
        await shown.press("c")
        await shown.until(lambda: len(shown.deck.area.order) == 1)
        assert shown.deck.area.active == slots[0].id


async def test_scrolling_up_stays_and_the_follow_key_returns(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("seq 1 500; while sleep 0.05; do echo later; done")
        await shown.until(lambda: "later" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("g")
        await shown.until(lambda: shown.pane_text().startswith("1\n2\n3"))
        await shown.until(lambda: "below ·" in shown.screen_text())
        assert shown.pane_text().startswith("1\n2\n3")
        await shown.press("f")
        await shown.until(lambda: shown.pane_text().endswith("later"))
        await shown.until(lambda: "below ·" not in shown.screen_text())


async def test_the_terminal_takes_the_panes_size(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(shlex.join([sys.executable, "-c", SIZES]), cols=40, rows=10)
        view = shown.pane(slot).view
        await shown.until(lambda: (slot.job.cols, slot.job.rows) == tuple(view.room))
        await shown.until(lambda: f"{view.room.height} {view.room.width}" in shown.pane_text())
        room = view.room
        await shown.pilot.resize_terminal(100, 24)
        await shown.until(lambda: view.room != room and (slot.job.cols, slot.job.rows) == tuple(view.room))
        await shown.until(lambda: f"{view.room.height} {view.room.width}" in shown.pane_text())


async def test_a_pipe_jobs_lines_begin_at_the_left(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("printf 'one\\ntwo\\n'; sleep 1000", pty=False)
        await shown.until(lambda: shown.pane_text() == "one\ntwo")


async def test_a_pane_opened_late_has_all_that_its_scrollback_holds(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq 1 60000; echo the end; sleep 1000", open_tab=False)
        await shown.until(lambda: "the end" in shown.stack_text())
        shown.deck.area.open(slot.id)
        await shown.until(lambda: "the end" in shown.pane_text())
        kept = [int(line) for line in shown.pane_lines(slot) if line.isdigit()]
        assert kept == list(range(kept[0], 60001))
        assert len(kept) >= 10_000
        await shown.until(lambda: f"{kept[0] - 1:,} earlier lines" in shown.screen_text())


async def test_a_flood_is_shown_by_its_newest_picture_and_exact_after_it(
    console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    # Any item counts as a flood: what is passed over, and made exact after it, doesn't hang on this machine's speed.
    monkeypatch.setattr("tui.bridge.feed.FLOOD_SECONDS", 0.0)
    redraw = "for i in range(400): print('\\x1b[H' + f'picture {i} ' + 'x' * 900, flush=True)"
    async with console() as shown:
        slot = await shown.start(f'seq 1 9000; python3 -c "{redraw}"; sleep 1000', open_tab=False)
        await shown.until(lambda: slot.job.total_output_chars > 400_000)
        shown.deck.area.open(slot.id)
        pane = shown.pane(slot)
        flags: list[bool] = []
        set_approximate = pane.set_approximate

        def noted(flag: bool) -> None:
            flags.append(flag)
            set_approximate(flag)

        monkeypatch.setattr(pane, "set_approximate", noted)
        await shown.until(lambda: True in flags and not pane.emulator.approximate)
        assert flags[-1] is False
        await shown.until(lambda: "picture 399" in shown.pane_text() and not pane.stream.waiting)
        await shown.until(lambda: not pane.emulator.approximate and not pane.stream.rebuilding)
        numbers = [int(line) for line in shown.pane_lines(slot) if line.isdigit()]
        assert numbers[:8_900] == list(range(1, 8_901))  # the last ones were on the screen and drawn over


REDRAWN = """
import os, shutil, signal, time
def draw(*_):
    cols, rows = os.get_terminal_size()
    os.write(1, f"\\x1b[H\\x1b[Jrows {rows} drawn {len(seen)}".encode())
    seen.append(rows)
seen = []
signal.signal(signal.SIGWINCH, draw)
os.write(1, b"\\x1b[?1049h")
draw()
while True: time.sleep(60)
"""


async def test_a_picture_a_flood_left_approximate_is_repainted_once_by_its_program(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(f"exec python3 -c '{REDRAWN}'")
        await shown.until(lambda: "drawn 0" in shown.pane_text())
        pane = shown.pane(slot)
        rows = slot.job.rows
        pane.set_approximate(True)  # as a replay does whose base was outrun
        pane.show()
        await shown.until(lambda: not pane.emulator.approximate)
        # Once for each size, or once for both, if it isn't its turn between the two.
        await shown.until(lambda: re.search(rf"rows {rows} drawn [12]\b", shown.pane_text()))
        assert slot.job.rows == rows


async def test_a_flood_leaves_the_keys_working(console: "Opened") -> None:
    async with console() as shown:
        flood = await shown.start("yes flooding")
        await shown.until(lambda: "flooding" in shown.pane_text())
        other = await shown.start("echo calm; sleep 1000")
        await shown.until(lambda: "calm" in shown.pane_text())
        await shown.press("1")
        await shown.until(lambda: "flooding" in shown.pane_text())
        await shown.press("2")
        await shown.until(lambda: "calm" in shown.pane_text())
        await shown.press("1", "X")
        await shown.until(lambda: not flood.live)
        assert other.live


async def test_a_selection_is_copied_and_stays_while_output_comes(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("echo 'take [this] line'; echo and this; read go; seq 1 200; sleep 1000")
        await shown.until(lambda: "and this" in shown.pane_text())
        view = shown.pane(slot).view
        await shown.pilot.mouse_down(view, offset=(0, 0))
        await shown.pilot.hover(view, offset=(8, 1))
        await shown.pilot.mouse_up(view, offset=(8, 1))
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "below ·" in shown.screen_text())
        assert shown.pane_text().startswith("take [this] line\nand this")
        await shown.press("y")
        await shown.until(lambda: shown.app.clipboard.startswith("take [this] line\nand this"))
