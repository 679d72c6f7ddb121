"""Marked lines: set by key and click, gone to in turn, the same ones whatever wraps, scrolls or is opened again."""

import random
from typing import TYPE_CHECKING

from engine.terminal import LogicalLines, Screen, Stream
from tui.reading.bookmarks import Bookmarks
from tui.widgets.gutter import BOOKMARK

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


def marked(shown: "Console") -> list[str]:
    """The rows of the pane in sight that have a mark."""
    pane = shown.deck.area.pane
    assert pane is not None
    rows = shown.pane_text().split("\n")
    return [row for y, row in enumerate(rows) if pane.marks.render_line(y).text == BOOKMARK]


async def test_marks_are_set_gone_to_in_turn_and_taken_away(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq -f 'row %g' 1 600; sleep 1000")
        await shown.until(lambda: "row 600" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("apostrophe")
        await shown.until(lambda: any("No line is marked" in toast for toast in shown.said))
        await shown.press("m")
        await shown.until(lambda: marked(shown) == ["row 600"])
        await shown.press("g", "m", "pagedown", "m")
        second = shown.pane_text().split("\n")[0]
        await shown.until(lambda: marked(shown) == [second])
        await shown.pilot.click(shown.pane(slot).marks, offset=(0, 5))
        third = shown.pane_text().split("\n")[5]
        await shown.until(lambda: marked(shown) == [second, third])
        await shown.press("G", "apostrophe")
        await shown.until(lambda: "row 1" in marked(shown))
        await shown.until(lambda: any("Mark 1 of 4: row 1" in toast for toast in shown.said))
        await shown.press("apostrophe", "apostrophe", "apostrophe")
        await shown.until(lambda: marked(shown) == ["row 600"])
        await shown.press("apostrophe", "m")
        await shown.until(lambda: "row 1" in shown.pane_text() and "row 1" not in marked(shown))
        await shown.pilot.click(shown.pane(slot).marks, offset=(0, 0))
        await shown.until(lambda: "row 1" in marked(shown))


async def test_marks_stand_while_rows_wrap_anew_and_when_the_pane_is_opened_again(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("for i in $(seq 1 60); do echo $i $(seq -s, 100 140); done; sleep 1000")
        await shown.until(lambda: "60 100" in shown.pane_text() and shown.pane_text().endswith("140"))
        shown.deck.focus_pane()
        await shown.press("g", "m")
        await shown.press("pagedown", "m")
        await shown.until(lambda: len(marked(shown)) == 1)
        lines = [text.split(",")[0] for text in marked(shown)]
        view = shown.pane(slot).view
        for width in (70, 150, 120):
            before = view.room.width
            await shown.pilot.resize_terminal(width, 32)
            await shown.until(lambda before=before: before != view.room.width == view.emulator.screen.columns)  # type: ignore[misc]
            await shown.press("apostrophe", "apostrophe")
            await shown.until(lambda: [text.split(",")[0] for text in marked(shown)][-1:] == lines)
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == ())
        shown.deck.area.open(slot.id)
        await shown.until(lambda: "60 100" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("apostrophe")
        await shown.until(lambda: any(text.startswith("1 100") for text in marked(shown)))
        await shown.press("apostrophe")
        await shown.until(lambda: [text.split(",")[0] for text in marked(shown)][-1:] == lines)


def test_lines_that_are_gone_lose_their_marks() -> None:
    marks = Bookmarks()
    for line in (3, 500, 40):
        assert marks.toggle(line, f"line {line}")
    assert [marks.after(0), marks.after(3), marks.after(40), marks.after(500)] == [3, 40, 500, 3]
    marks.drop_before(41)
    assert marks.lines == [500]
    assert not marks.toggle(500, "line 500")
    assert marks.after(0) is None


def test_after_a_fresh_start_lines_are_known_by_their_text_again() -> None:
    r = random.Random(5)
    screen = Screen(40, 6, 10_000)
    Stream(screen).feed("".join(f"line {n}\r\n" for n in range(500)))
    lines = LogicalLines(screen)
    marks = Bookmarks()
    for line in r.sample(range(100, 400), 5):
        marks.toggle(line + 1_000 + r.randint(-50, 50), f"line {line}")
    texts = {marks.text(line) for line in marks.lines}
    marks.find_again(lines, 1_000)
    assert {lines.text(line - 1_000) for line in marks.lines} == texts
