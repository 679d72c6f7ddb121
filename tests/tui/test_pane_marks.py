"""What stands about a pane: lines that are gone, the title its job has given it, bells and news until they are seen."""

from typing import TYPE_CHECKING

import pytest

from engine import Settings

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_a_bell_and_news_stand_in_stack_and_tabs_until_they_are_seen(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("read go; printf 'ding\\a\\n'; sleep 1000", name="ringer")
        other = await shown.start("sleep 1000", name="other")
        await shown.until(lambda: shown.deck.area.active == other.id)
        assert "!" not in shown.deck.area.tabs.plain
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "ringer !•" in shown.deck.area.tabs.plain)
        await shown.until(lambda: any("ringer" in row and "!•" in row for row in shown.stack_text().split("\n")))
        await shown.press("1")
        await shown.until(lambda: "!" not in shown.deck.area.tabs.plain + shown.stack_text())
        await shown.press("2")
        assert "ringer !" not in shown.deck.area.tabs.plain


async def test_a_title_stands_in_the_panes_foot_clean_and_as_text(console: "Opened") -> None:
    title = "[b]build[/b] \\342\\200\\256 3/5\\001"
    async with console(size=(160, 32)) as shown:
        slot = await shown.start(f"read go; printf '\\033]2;{title}\\a'; read go; printf '\\033]0;\\a'; sleep 1000")
        await shown.until(lambda: shown.deck.area.pane is not None and slot.live)
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "· [b]build[/b] 3/5 ·" in shown.pane(slot)._status.plain)
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "3/5 ·" not in shown.pane(slot)._status.plain)


@pytest.mark.parametrize("settings", [Settings(scrollback_lines=500)])
async def test_the_top_tells_how_many_lines_are_gone_lines_not_rows(settings: Settings, console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("for i in $(seq 1 900); do printf '%s:%0150d\\n' $i 7; done; sleep 1000")
        await shown.until(lambda: "900:" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("g")
        emulator = shown.pane(slot).emulator
        await shown.until(lambda: emulator.total - emulator.first == 500)
        rows = shown.pane_text().split("\n")
        first = next(int(row.split(":")[0]) for row in rows if ":" in row)
        await shown.until(lambda: f"↑ {first - 1:,} earlier lines no longer kept" in shown.screen_text())


async def test_what_an_ended_job_printed_flows_to_the_panes_width(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(f"echo {'word ' * 40}")
        await shown.until(lambda: not slot.live and "word" in shown.pane_text())
        view = shown.pane(slot).view
        for width in (70, 130, 120):
            room = view.room
            await shown.pilot.resize_terminal(width, 32)
            await shown.until(lambda: view.room != room)  # noqa: B023
            await shown.until(lambda: view.emulator.screen.columns == view.room.width)
            await shown.until(lambda: len(shown.pane_text().split("\n")) == -(-199 // view.room.width))
