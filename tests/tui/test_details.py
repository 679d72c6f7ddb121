"""The drawer of details, and what the stack shows of what jobs use."""

import asyncio
import re
from typing import TYPE_CHECKING

from living import leads_a_session
from rich.cells import cell_len
from textual.widgets import Static

from tui.show.numbers import percent, short_bytes

if TYPE_CHECKING:
    from engine.results import Inspected, Refused
    from tests.tui.conftest import Opened


async def test_the_stack_tells_what_a_tree_uses_and_who_asks(console: "Opened") -> None:
    async with console() as shown:
        asks = await shown.start("printf 'Apply? [y/N] '; read x; echo thanks; sleep 7401", name="asks")
        busy = await shown.start("while :; do :; done", name="busy")
        await shown.until(lambda: f"◉ {asks.job.name}" in shown.stack_text())
        await shown.until(lambda: busy.use is not None and bool(busy.use.cpu), "a busy loop to be seen as such")

        def told() -> bool:
            row = next((line for line in shown.stack_text().splitlines() if "● busy" in line), "")
            return busy.use is not None and row.split()[-1:] == [short_bytes(busy.use.rss)]

        await shown.until(told)
        await shown.until(lambda: "◉ 1 asks" in shown.deck.header.plain and "cpu " in shown.deck.header.plain)
        shown.deck.area.turn_to(asks.id)
        await shown.until(lambda: "◉ asks · perhaps waits for input" in shown.screen_text())
        await shown.press("s")
        await shown.type("y")
        await shown.press("enter")
        await shown.until(lambda: f"● {asks.job.name}" in shown.stack_text())


async def test_a_stopped_job_is_shown_as_stopped(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 7402", name="held")
        shown.engine.signal(slot.job.session_id, "STOP").result()
        await shown.until(lambda: "■ held" in shown.stack_text() and "stopped" in shown.stack_text())
        shown.engine.signal(slot.job.session_id, "CONT").result()
        await shown.until(lambda: "● held" in shown.stack_text())


async def test_nothing_is_measured_when_nothing_runs(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("sleep 7403", name="runs")
        await shown.until(lambda: slot.use is not None)
        await shown.press("x")
        await shown.until(lambda: not slot.live)
        gauge = shown.deck._gauge
        assert gauge is not None and not gauge.running
        assert slot.use is None or not slot.live


async def test_details_follow_the_job_that_keys_act_on(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        first = await shown.start("sleep 7404 & sleep 7405", name="one", cwd="/usr", env={"PORT": "80"})
        second = await shown.start("echo [red]x[/]; sleep 7406", name="two", watch_patterns=("ERR",))
        await shown.press("d")
        await shown.until(lambda: "sleep 7406" in shown.screen_text() and "ERR · no hit yet" in shown.screen_text())
        await shown.until(lambda: "command     echo [red]x[/]; sleep 7406" in shown.screen_text())
        shown.deck.area.turn_to(first.id)
        await shown.until(lambda: "3 processes" in shown.screen_text() and "PORT=80" in shown.screen_text())
        await shown.until(lambda: re.search(r"folder +/usr$", shown.screen_text(), re.MULTILINE))
        shown.deck.area.turn_to(second.id)
        await shown.until(lambda: "ERR · no hit yet" in shown.screen_text())
        await shown.press("d")
        await shown.until(lambda: not shown.deck.drawer.display)


async def test_details_name_what_was_left_and_its_key_ends_it(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start("(setsid sleep 7407 &); read x; exit 2", name="leaves")
        await shown.until(lambda: leads_a_session("sleep 7407"))
        shown.engine.submit(slot.job.session_id, "").result()
        await shown.until(lambda: bool(slot.job.escaped))
        await shown.press("d")
        pid = slot.job.escaped[0].pid
        await shown.until(lambda: f"left behind {pid}  sleep 7407" in shown.screen_text())
        await shown.press("E")
        await shown.until(lambda: "left behind?" in shown.screen_text())
        await shown.press("y")
        await shown.until(lambda: not slot.job.escaped)


async def test_in_a_small_terminal_details_take_its_place(console: "Opened") -> None:
    async with console(size=(50, 20)) as shown:
        await shown.start("sleep 7408", name="small", open_tab=False)
        await shown.press("d")
        await shown.until(lambda: "command     sleep 7408" in shown.screen_text())
        await shown.press("d")
        await shown.until(lambda: "● small" in shown.screen_text())


async def test_the_drawer_is_reached_scrolled_and_left_by_keys_and_changes_no_size(console: "Opened") -> None:
    async with console(size=(100, 30)) as shown:
        line = " & ".join(f"sleep {7420 + number}" for number in range(30)) + " & wait"
        slot = await shown.start(line, name="many")
        size = slot.job.cols, slot.job.rows
        await shown.press("d")
        drawer = shown.deck.drawer
        await shown.until(lambda: "31 processes" in shown.screen_text() or drawer.max_scroll_y > 5)
        while shown.app.focused is not drawer:
            await shown.press("tab")
        await shown.press("end")
        await shown.until(lambda: drawer.scroll_y > 5)
        assert shown.deck.target() is slot
        await shown.press("escape")
        await shown.until(lambda: not drawer.display and shown.app.focused is not drawer)
        assert (slot.job.cols, slot.job.rows) == size


def test_shares_and_sizes_in_few_characters() -> None:
    assert [percent(share) for share in (0, 0.004, 0.045, 1.37, 64, 1e9)] == [
        "0%",
        "0%",
        "4%",
        "137%",
        "6400%",
        "9999%",
    ]
    sizes = [0, 1023, 1 << 20, 118 << 20, 1023 << 20, int(1.6 * (1 << 30)), 12 << 30, 2 << 40]
    assert [short_bytes(size) for size in sizes] == ["0K", "0K", "1M", "118M", "1023M", "1.6G", "12G", "2.0T"]


async def test_long_values_break_anew_when_the_bar_takes_a_column(console: "Opened") -> None:
    async with console(size=(120, 44)) as shown:
        line = " & ".join(f"sleep {7460 + number}" for number in range(30)) + " & wait"
        await shown.start(line, name="many")
        drawer, asked, may_answer = shown.deck.drawer, 0, asyncio.Event()
        ask = drawer._ask
        assert ask is not None

        async def once(session_id: str) -> "Inspected | Refused":
            nonlocal asked
            asked += 1
            await (may_answer if asked == 1 else asyncio.Event()).wait()
            return await ask(session_id)

        drawer._ask = once
        fields = drawer.query_one("#drawer-fields", Static)

        def broken_at() -> int:
            return max(map(cell_len, str(fields.content).splitlines()), default=0)

        await shown.press("d")
        await shown.until(lambda: asked == 1 and broken_at() == fields.content_size.width)
        assert not drawer.show_vertical_scrollbar
        wide = broken_at()
        may_answer.set()
        await shown.until(lambda: drawer.show_vertical_scrollbar and broken_at() == fields.content_size.width < wide)
