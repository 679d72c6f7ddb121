"""Without colours, what is selected is seen all the same."""

from typing import TYPE_CHECKING

import pytest

from tui.widgets.hit_feed import HitFeed

if TYPE_CHECKING:
    from tests.tui.conftest import Opened
    from tui.widgets.rows import Rows
    from tui.widgets.stack import StatusStack


def reversed_lines(widget: "StatusStack | Rows") -> list[int]:
    lines = [widget.render_line(y) for y in range(widget.size.height)]
    return [y for y, line in enumerate(lines) if any(part.style and part.style.reverse for part in line)]


@pytest.mark.parametrize("colours", [False, True])
async def test_the_selected_row_is_told_apart_without_colours(
    console: "Opened", monkeypatch: pytest.MonkeyPatch, colours: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if not colours:
        monkeypatch.setenv("NO_COLOR", "1")
    async with console(size=(140, 40)) as shown:
        await shown.start("echo ERROR; sleep 1000", watch_patterns=("ERROR",))
        await shown.start("sleep 1001")
        await shown.until(lambda: "⚑1" in shown.stack_text())
        feed = shown.app.screen.query_one(HitFeed)
        for widget, rows in ((shown.deck.stack, 2), (feed, 1)):
            widget.focus()
            await shown.until(lambda widget=widget: widget.has_focus)  # type: ignore[misc]
            await shown.press("end")
            wanted = 0 if colours else rows
            await shown.until(lambda widget=widget, wanted=wanted: len(reversed_lines(widget)) == wanted)  # type: ignore[misc]
