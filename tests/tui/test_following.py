"""The pane goes along with the selection, tabs come back, and following stops only by scrolling."""

import re
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events

from engine.replay import Base, Chunk, Replay
from tui.bridge.feed import Feed
from tui.widgets.emulator import Emulator
from tui.widgets.line import cut_middle

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_moving_the_selection_shows_the_tabs_of_jobs_that_have_one(console: "Opened") -> None:
    async with console() as shown:
        one = await shown.start("echo first; sleep 1000", name="one")
        two = await shown.start("echo second; sleep 1000", name="two")
        bare = await shown.start("sleep 1000", name="bare", open_tab=False)
        shown.deck.set_focus(shown.deck.stack)
        await shown.press("home")
        await shown.until(lambda: shown.deck.area.active == one.id and "first" in shown.pane_text())
        assert not shown.pane(two).stream.attached
        assert shown.deck.focused is shown.deck.stack
        await shown.press("end")
        await shown.until(lambda: shown.deck.stack.selected == bare.id)
        assert shown.deck.area.active == one.id

        def rows(name: str) -> list[bool]:
            return [row.startswith("▌") for row in shown.stack_text().split("\n") if f"● {name}" in row]

        await shown.until(lambda: (rows("one"), rows("bare")) == ([True], [False]))
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == (two.id,))


async def test_enter_reopens_the_tab_closed_last(console: "Opened") -> None:
    async with console() as shown:
        one = await shown.start("echo first; sleep 1000", name="one")
        two = await shown.start("echo second; sleep 1000", name="two")
        shown.deck.focus_pane()
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == (one.id,))
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.active == two.id and "second" in shown.pane_text())
        await shown.until(lambda: shown.deck.area.pane_has_focus)
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == (one.id,))
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == ())
        shown.deck.set_focus(shown.deck.area.empty)
        await shown.until(lambda: "closed last" in shown.screen_text() and "enter reopen" in shown.deck.footer.plain)
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.active == one.id and shown.deck.area.pane_has_focus)


async def test_scrolling_where_there_is_nothing_to_scroll_goes_on_following(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("echo short; read go; seq 1 200; sleep 1000")
        await shown.until(lambda: "short" in shown.pane_text())
        shown.deck.focus_pane()
        view = shown.pane(slot).view
        await shown.press("pageup", "k", "g")
        await shown.pilot._post_mouse_events([events.MouseScrollUp], view)
        await shown.pilot.pause()
        assert view.follow
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "200" in shown.pane_text())


async def test_copied_rows_that_wrapped_are_one_line_on_the_live_screen(console: "Opened") -> None:
    long = "word-" * 60
    async with console() as shown:
        slot = await shown.start(f"echo {long}; echo next; sleep 1000")
        await shown.until(lambda: "next" in shown.pane_text())
        view = shown.pane(slot).view
        await shown.pilot.mouse_down(view, offset=(0, 0))
        row = shown.pane_text().split("\n").index("next")
        await shown.pilot.hover(view, offset=(4, row))
        await shown.pilot.mouse_up(view, offset=(4, row))
        await shown.until(lambda: view.selection.text == f"{long}\nnext")
        await shown.press("y")
        await shown.until(lambda: shown.app.clipboard == f"{long}\nnext")


def test_lines_before_a_fresh_start_are_counted_without_those_in_its_base() -> None:
    class Taker(Emulator):
        def being_read(self) -> bool:
            return False

    emulator = Taker(20, 5, pty=True)
    feed = Feed(emulator)
    feed.put(Replay(5_000_000, Base(20, 5, "one\r\ntwo\r\n"), ("three\r\n",), (), dropped_lines=50_000))
    while feed.waiting:
        feed.step(10_000)
    assert emulator.lines_gone == 49_998
    assert [emulator.text(row) for row in range(3)] == ["one", "two", "three"]
    feed.put(Chunk(feed.position or 0, "four"))
    while feed.waiting:
        feed.step(2)
    assert emulator.text(3) == "four"


def test_names_too_long_lose_their_middle_and_keep_their_width() -> None:
    assert cut_middle("my-service-worker-1", 9) == "my-s…er-1"
    assert cut_middle("short", 9) == "short    "
    assert cut_middle("for i in 1 2 3; do ech…", 9) == "for i in…", "its end was cut before"
    assert cut_middle("npm run…", 8) == "npm run…" and cut_middle("npm run…", 7) == "npm ru…"
    for width in range(12):
        for text in ("日本語の名前です-1", "abc", "a" * 30, ""):
            assert cell_len(cut_middle(text, width)) == width, (text, width)


async def test_many_long_names_share_the_line_of_tabs(console: "Opened") -> None:
    for size, least in (((140, 40), 5), ((80, 24), 3)):
        async with console(size=size) as shown:
            for number in range(1, least + 1):
                await shown.start("sleep 1000", name=f"the-same-long-name-of-a-service-{number}")
            numbers = range(1, least + 1)
            tabs = shown.deck.area.tabs
            await shown.until(
                lambda tabs=tabs, numbers=numbers: all(  # type: ignore[misc]
                    re.search(rf"\b{number} ● the?…?\S*-?{number}", tabs.plain) for number in numbers
                )
            )
            assert "‹" not in tabs.plain and "›" not in tabs.plain
            for number in numbers:
                assert re.search(rf"● the-\S*…\S*-{number} ", shown.stack_text()), shown.stack_text()
            await shown.press("q")
            await shown.until(lambda: "Kill and leave  x" in shown.screen_text())
            await shown.press("x")
            await shown.until(lambda: not shown.app.is_running)


async def test_the_footer_of_a_small_terminal_names_the_way_to_close_a_tab(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        await shown.start("sleep 1000")
        for focus in (shown.deck.stack, shown.deck.area.view):
            shown.deck.set_focus(focus)
            await shown.arrived()
            await shown.until(lambda: "c close tab" in shown.deck.footer.plain and "q quit" in shown.deck.footer.plain)


async def test_the_header_row_shows_the_very_command(console: "Opened") -> None:
    async with console(size=(160, 30)) as shown:
        await shown.start("echo  'two  blanks'   👍🏽; sleep 1000")
        await shown.until(lambda: "$ echo  'two  blanks'   👍🏽; sleep 1000" in shown.screen_text())


async def test_keys_that_come_in_a_burst_after_a_tabs_key_are_for_its_job(console: "Opened") -> None:
    async with console() as shown:
        one = await shown.start("cat", name="one")
        two = await shown.start("cat", name="two")
        shown.deck.set_focus(shown.deck.stack)
        for key, slot in (("1", one), ("2", two), ("1", one)):
            for burst in (key, "s"):
                shown.app.post_message(events.Key(burst, burst))
            await shown.until(lambda: shown.deck.prompt.display)
            assert shown.deck.prompt.slot_id == slot.id
            assert shown.deck.area.active == slot.id
            await shown.press("escape")
