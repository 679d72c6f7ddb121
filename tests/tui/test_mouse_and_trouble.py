"""The mouse does all of it; trouble is said."""

from typing import TYPE_CHECKING

from textual import events

from tui.screens.engine_died import EngineDied

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


async def test_rows_tabs_and_footer_keys_can_be_clicked(console: "Opened") -> None:
    async with console() as shown:
        one = await shown.start("echo first; sleep 1000", name="one")
        two = await shown.start("echo second; sleep 1000", name="two", open_tab=False)
        row = shown.stack_text().split("\n").index(next(x for x in shown.stack_text().split("\n") if "two" in x))
        await shown.pilot.click("#stack", offset=(5, row))
        await shown.until(lambda: shown.deck.stack.selected == two.id)
        await shown.pilot.click("#stack", offset=(5, row))
        await shown.until(lambda: "second" in shown.pane_text())
        await shown.pilot.click("#tabs", offset=(4, 0))
        await shown.until(lambda: "first" in shown.pane_text())
        await shown.pilot.click("#tabs", offset=(shown.deck.area.tabs.plain.index("×"), 0))
        await shown.until(lambda: shown.deck.area.order == (two.id,))
        await shown.pilot.click("#footer", offset=(shown.deck.footer.plain.index("x kill"), 0))
        await shown.until(lambda: not two.live)
        assert one.live


async def test_the_wheel_scrolls_and_stops_following(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq 1 300; sleep 1000")
        await shown.until(lambda: "300" in shown.pane_text())
        view = shown.pane(slot).view
        top = view.top
        await shown.pilot._post_mouse_events([events.MouseScrollUp], view)
        await shown.until(lambda: view.top < top and not view.follow)


async def test_a_dead_engine_is_said_and_the_way_out_is_offered(console: "Opened") -> None:
    async with console() as shown:
        shown.engine.post(lambda: (_ for _ in ()).throw(SystemExit))
        await shown.until(lambda: isinstance(shown.app.screen, EngineDied))
        await shown.until(lambda: "The engine has stopped" in shown.screen_text())
        await shown.press("q")
        await shown.until(lambda: not shown.app.is_running)
        assert shown.app.return_code == 1


async def test_a_small_terminal_detaches_the_pane_it_doesnt_show(console: "Opened") -> None:
    async with console("while sleep 0.02; do echo more; done", size=(50, 20)) as shown:
        await shown.until(lambda: len(shown.deck.area.order) == 1)
        pane = shown.deck.area.pane
        assert pane is not None
        await shown.press("tab")
        await shown.until(lambda: pane.stream.attached and "more" in shown.pane_text())
        await shown.press("tab")
        await shown.until(lambda: not pane.stream.attached)


async def test_what_was_printed_for_another_size_flows_to_this_one(console: "Opened") -> None:
    line = "x" * 60
    async with console() as shown:
        slot = await shown.start(f"echo {line}; read go; echo {line}; sleep 1000", cols=40, rows=10, open_tab=False)
        await shown.until(lambda: slot.job.total_output_chars > 60)
        shown.deck.area.open(slot.id)
        view = shown.pane(slot).view
        await shown.until(lambda: view.room.area > 0 and (slot.job.cols, slot.job.rows) == tuple(view.room))
        shown.engine.submit(slot.job.session_id, "")
        for _ in range(2):
            await shown.until(lambda: shown.pane_lines(slot).count(line) == 2)
            assert set(shown.pane_lines(slot)) <= {line, ""}
            await shown.press("c")
            await shown.until(lambda: shown.deck.area.order == ())
            shown.deck.area.open(slot.id)
