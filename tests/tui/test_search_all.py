"""Search over all jobs: found while one types, gone to with Enter."""

from typing import TYPE_CHECKING

import pytest
from textual.widgets import Checkbox

from tui.bridge.stream import PaneStream
from tui.screens.search import SearchJobs
from tui.widgets.found_lines import FoundLines

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


def found(shown: "Console") -> list[str]:
    """The rows of the list."""
    lines = shown.app.screen.query_one(FoundLines)
    rows = ["".join(piece.text for piece in lines.pieces(number, 90)) for number in range(lines.end)]
    return [" ".join(row.split()) for row in rows]


async def opened(shown: "Console") -> None:
    await shown.dialog("ctrl+f", "search")


async def test_lines_of_all_jobs_are_found_while_typing_and_gone_to(console: "Opened") -> None:
    async with console(size=(120, 36)) as shown:
        first = await shown.start("seq -f 'line %g' 1 3000; echo an Error; seq 1 2000; sleep 7501", name="one")
        second = await shown.start("printf '\\033[31mer\\033[0mror [b]x[/]\\n'; sleep 7502", name="two")
        await shown.until(lambda: "error" in shown.pane_text() and first.job.total_output_chars > 38_000)
        await opened(shown)
        await shown.type("error")
        await shown.until(lambda: found(shown) == ["one 3,001 an Error", "two 1 error [b]x[/]"])
        await shown.until(lambda: "2 lines in 2 jobs" in shown.screen_text())
        await shown.press("up", "enter")
        await shown.until(lambda: shown.deck.area.active == first.id and "an Error" in shown.pane_text())
        await opened(shown)
        await shown.until(lambda: len(found(shown)) == 2)
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.active == second.id)


async def test_a_line_is_stayed_at_while_more_of_the_output_is_on_its_way(
    console: "Opened", monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(size=(120, 36)) as shown:
        slot = await shown.start("seq 1 3000; echo an Error; seq 1 2000; sleep 7505", name="one", open_tab=False)
        await shown.start("echo hi; sleep 7506", name="two")
        await shown.until(lambda: slot.job.total_output_chars > 26_000)
        await opened(shown)
        await shown.type("an Error")
        await shown.until(lambda: found(shown) == ["one 3,001 an Error"])
        step, line_has_come = PaneStream.step, 16_893 + len("an Error\r\n")

        def step_up_to_the_line(stream: PaneStream, limit: int) -> int:
            left = line_has_come - (stream.position or 0)
            return step(stream, min(limit, left)) if left > 0 else 0

        monkeypatch.setattr(PaneStream, "step", step_up_to_the_line)
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.active == slot.id and "an Error" in shown.pane_text())
        await shown.until(lambda: shown.pane(slot).stream.position == line_has_come)
        monkeypatch.setattr(PaneStream, "step", step)
        await shown.until(lambda: (shown.pane(slot).stream.position or 0) > 27_000)
        await shown.until(lambda: shown.pane(slot).stream.position == slot.job.total_output_chars)
        await shown.pilot.pause()
        assert "an Error" in shown.pane_text() and not shown.pane(slot).view.follow


async def test_expressions_and_case_are_switched(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("echo a.c; echo ABC; sleep 7503", name="one")
        await shown.until(lambda: "ABC" in shown.pane_text())
        await opened(shown)
        await shown.type("a.c")
        await shown.until(lambda: found(shown) == ["one 1 a.c"])
        shown.app.screen.query_one("#regex", Checkbox).value = True
        await shown.until(lambda: found(shown) == ["one 1 a.c", "one 2 ABC"])
        shown.app.screen.query_one("#case", Checkbox).value = True
        await shown.until(lambda: found(shown) == ["one 1 a.c"])
        await shown.type("(")
        await shown.until(lambda: "✗" in shown.screen_text() and not found(shown))
        await shown.press("escape")
        await shown.until(lambda: not isinstance(shown.app.screen, SearchJobs))


async def test_what_is_not_there_is_said(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("echo hi; sleep 7504", name="one")
        await shown.until(lambda: "hi" in shown.pane_text())
        await opened(shown)
        await shown.type("nowhere")
        await shown.until(lambda: "nothing found in" in shown.screen_text())
        await shown.press("enter")
        assert isinstance(shown.app.screen, SearchJobs)
