"""Searching in a pane: while one types, over all that it holds, counted, lit, and never in the way of keys."""

from typing import TYPE_CHECKING

import pytest

from engine.terminal import LogicalLines, Screen, Spot, Stream
from tui.reading.pattern import Wanted, Wrong, compile_wanted
from tui.reading.search import Search
from tui.widgets.line import Line
from tui.widgets.search_bar import SearchBar, SearchLine

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


def bar(shown: "Console") -> SearchBar:
    pane = shown.deck.area.pane
    assert pane is not None
    return pane.search


async def search(shown: "Console", text: str) -> None:
    shown.deck.focus_pane()
    await shown.press("slash")
    await shown.until(lambda: isinstance(shown.app.focused, SearchLine))
    await shown.type(text)


async def click_said(shown: "Console", bar: SearchBar, word: str) -> None:
    """Click a word of what a bar says, once it has the room that it asked for."""
    said = bar.query_one(".search--said", Line)
    await shown.until(lambda: word in said.plain and said.region.width == bar._wide)
    await shown.pilot.click(said, offset=(said.plain.index(word), 0))


def lit(shown: "Console", row: int) -> list[str]:
    """The texts that stand out in a row of the pane in sight: found ones, and in capitals the current one."""
    view = shown.deck.area.view
    assert view is not None
    grounds = {name: view.get_component_rich_style(f"terminal--{name}").bgcolor for name in ("found", "current")}
    out = []
    for segment in view.render_line(row):
        if segment.style is not None and segment.style.bgcolor in grounds.values():
            out.append(segment.text.upper() if segment.style.bgcolor == grounds["current"] else segment.text)
    return out


async def test_it_counts_over_the_whole_scrollback_and_goes_round(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("seq -f 'row %g' 1 5000; sleep 1000")
        await shown.until(lambda: "row 5000" in shown.pane_text())
        await search(shown, "row 4")
        await shown.until(lambda: "1,111/1,111" in bar(shown).said)  # 4, 40…49, 400…499, 4000…4999
        await shown.until(lambda: "row 4999" in shown.pane_text())
        await shown.press("enter")
        assert shown.deck.area.pane_has_focus
        await shown.press("n")
        await shown.until(lambda: "↻ 1/1,111" in bar(shown).said and "row 4\n" in shown.pane_text())
        await shown.press("n")
        await shown.until(lambda: "2/1,111" in bar(shown).said and "row 40\n" in shown.pane_text())
        await shown.press("N", "N")
        await shown.until(lambda: "↻ 1,111/1,111" in bar(shown).said and "row 4999" in shown.pane_text())
        await shown.press("escape")
        await shown.until(lambda: "1,111" not in shown.screen_text())


async def test_a_match_that_wraps_is_one_and_lit_in_both_rows(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start(
            "printf '%0.s-' $(seq 1 76); echo needles and more; echo a Needle; sleep 1000", cols=40
        )
        view = shown.pane(slot).view
        await shown.until(lambda: view.emulator.screen.columns == view.room.width and "Needle" in shown.pane_text())
        assert view.room.width == 80
        await search(shown, "needles")
        await shown.until(lambda: "1/1" in bar(shown).said)
        await shown.until(lambda: lit(shown, 0) == ["NEED"] and lit(shown, 1) == ["LES"])
        await shown.press("backspace")
        await shown.until(lambda: "2/2" in bar(shown).said)
        await shown.until(lambda: lit(shown, 0) == ["need"] and lit(shown, 2) == ["NEEDLE"])


async def test_case_and_expressions_by_key_and_mouse_and_what_is_wrong_is_said(console: "Opened") -> None:
    async with console() as shown:
        await shown.start("printf 'Port 80\\nport 443\\nport (1)\\n'; sleep 1000")
        await shown.until(lambda: "port (1)" in shown.pane_text())
        await search(shown, "port")
        await shown.until(lambda: "3/3" in bar(shown).said)
        await shown.press("alt+c")
        await shown.until(lambda: "2/2" in bar(shown).said and "✓Aa" in bar(shown).said)
        await click_said(shown, bar(shown), "Aa")
        await shown.until(lambda: "3/3" in bar(shown).said)
        await shown.type(" (")
        await shown.until(lambda: "1/1" in bar(shown).said)
        await shown.press("ctrl+r")
        await shown.until(lambda: "a ( is never closed" in bar(shown).said)
        await shown.type("1|\\d+)")
        await shown.until(lambda: "2/2" in bar(shown).said)
        await click_said(shown, bar(shown), ".*")
        await shown.until(lambda: "nothing found" in bar(shown).said)
        await click_said(shown, bar(shown), "×")
        await shown.until(lambda: not bar(shown).display)
        assert shown.deck.area.pane_has_focus


async def test_escape_while_typing_goes_back_to_where_it_began(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq 1 400; sleep 1000")
        await shown.until(lambda: "400" in shown.pane_text())
        view = shown.pane(slot).view
        await search(shown, "7")
        await shown.until(lambda: "80/80" in bar(shown).said)
        await shown.press("up", "up", "up", "up", "up", "up", "up", "up")
        await shown.until(lambda: not view.follow)
        await shown.press("escape")
        await shown.until(lambda: view.follow and shown.pane_text().endswith("400"))
        shown.deck.focus_pane()
        await shown.press("g")
        top = view.top
        await search(shown, "399")
        await shown.until(lambda: view.top != top)
        await shown.press("escape")
        await shown.until(lambda: view.top == top)


async def test_live_output_goes_on_being_counted_and_what_is_read_stays(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq -f 'one %g' 1 300; read go; seq -f 'two one %g' 1 500; sleep 1000")
        await shown.until(lambda: "one 300" in shown.pane_text())
        await search(shown, "one")
        await shown.until(lambda: "300/300" in bar(shown).said)
        await shown.press("enter", "N")
        await shown.until(lambda: "299/300" in bar(shown).said)
        before = shown.pane_text()
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "299/800" in bar(shown).said)
        assert shown.pane_text() == before
        await shown.until(lambda: "new line" in shown.screen_text())


async def test_keys_are_text_while_one_types_and_tab_leaves(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("echo xqz; sleep 1000")
        await shown.until(lambda: "xqz" in shown.pane_text())
        await search(shown, "")
        await shown.press("x", "q", "z")
        await shown.until(lambda: "1/1" in bar(shown).said)
        assert slot.live
        await shown.press("tab")
        assert shown.deck.area.pane_has_focus


async def test_another_tab_or_a_closed_one_takes_the_focus_along(console: "Opened") -> None:
    async with console() as shown:
        one = await shown.start("echo first; sleep 1000")
        two = await shown.start("echo second; sleep 1000")
        await shown.until(lambda: "second" in shown.pane_text())
        await search(shown, "sec")
        await shown.press("ctrl+pagedown")
        await shown.until(lambda: shown.deck.area.active == one.id and shown.app.focused is shown.pane(one).view)
        await shown.press("2")
        await shown.until(lambda: "1/1" in bar(shown).said and bar(shown).display)
        await shown.press("slash", "c")
        await shown.until(lambda: bar(shown).line.value == "c")
        assert shown.deck.area.order == (one.id, two.id)


async def test_each_pane_searches_for_itself_and_its_bar_is_its_own(console: "Opened") -> None:
    async with console(size=(260, 40)) as shown:
        one = await shown.start("seq 1 50; sleep 1000")
        two = await shown.start("seq 1 50; sleep 1000")
        await shown.until(lambda: shown.pane_text().endswith("50"))
        await search(shown, "1")
        await shown.until(lambda: "/15" in shown.pane(two).search.said)
        await shown.press("enter", "v")
        await shown.until(lambda: shown.pane(one).region.x != shown.pane(two).region.x)
        shown.deck.area.turn_to(one.id)
        await search(shown, "2")
        await shown.until(lambda: "15/15" in shown.pane(one).search.said)
        await click_said(shown, shown.pane(two).search, "▲")
        await shown.until(lambda: "14/15" in shown.pane(two).search.said)
        assert "15/15" in shown.pane(one).search.said


async def test_looking_through_the_scrollback_paints_no_more_than_what_is_found(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("seq -f 'row %g of many' 1 9000; sleep 1000")
        await shown.until(lambda: "row 9000" in shown.pane_text())
        view, found = shown.pane(slot).view, shown.pane(slot).search
        await search(shown, "")
        await shown.press("ctrl+r")
        before = view.painted_lines
        await shown.type(".")
        await shown.until(lambda: "+" not in found.said and "/" in found.said)
        assert found.search.looked_at >= 8_900
        # For what was typed, the current match, the scroll bar, the bar's width; not for each of many slices.
        assert view.painted_lines - before <= 8 * view.size.height
        assert not found._waiting


def lines_of(text: str, columns: int = 40, rows: int = 5, scrollback: int = 10_000) -> tuple[LogicalLines, Stream]:
    screen = Screen(columns, rows, scrollback)
    stream = Stream(screen)
    stream.feed(text)
    return LogicalLines(screen), stream


def counted(search: Search) -> int:
    while search.step(1.0):
        pass
    return search.total


def test_each_line_that_left_the_screen_is_looked_at_once() -> None:
    lines, stream = lines_of("match\r\n" * 500)
    search = Search(lambda: lines)
    search.seek(Wanted("match"))
    assert counted(search) == 500
    for number in range(20):
        stream.feed("another match\r\n" * 10)
        assert counted(search) == 510 + 10 * number
    assert search.looked_at == lines.settled


def test_what_is_no_longer_kept_is_not_counted_and_what_came_back_to_the_screen_is_counted_once() -> None:
    lines, stream = lines_of("", scrollback=600)
    search = Search(lambda: lines)
    search.seek(Wanted("match"))
    for number in range(300):
        stream.feed("".join(f"match {number} {line}\r\n" for line in range(37)))
        counted(search)
    assert counted(search) == lines.newest - lines.first
    first = search.go(1)
    assert first is not None and first.line >= lines.first
    screen = lines._screen
    for rows, columns in ((40, 40), (5, 40), (30, 7), (5, 80)):
        screen.resize(rows, columns)
        assert counted(search) == lines.newest - lines.first


def test_steps_visit_every_match_in_order_both_ways() -> None:
    lines, _ = lines_of("".join(f"{'ab ' * (line % 4)}\r\n" for line in range(100)))
    search = Search(lambda: lines)
    search.seek(Wanted("ab"))
    total = counted(search)
    assert total == sum(line % 4 for line in range(100))
    seen = [search.go(1) for _ in range(total)]
    assert seen == sorted(set(seen), key=lambda spot: spot or Spot(0, 0))
    assert [search.place, search.wrapped] == [total, False]
    assert search.go(1) == seen[0] and search.wrapped and search.place == 1
    assert [search.go(-1) for _ in range(total)] == seen[::-1]


@pytest.mark.parametrize(
    ("text", "line", "cells"),
    [
        ("本", "日本語", (2, 4)),
        ("語x", "日本語x", (4, 7)),
        ("É", "née e\u0301l", (4, 5)),
        ("👩", "a👩‍👩‍👧b", (1, 3)),
        ("ß", "strasse ß", (8, 9)),
    ],
)
def test_matches_are_told_in_cells_and_clusters_are_whole(text: str, line: str, cells: tuple[int, int]) -> None:
    lines, _ = lines_of(line)
    assert compile_wanted(Wanted(text))(lines.line(0))[-1:] == [cells]


@pytest.mark.parametrize("expression", ["(", "*", "a{1001}", "(?=x)", r"\1", "[b-a]", "x" * 1001])
def test_what_is_no_expression_says_why(expression: str) -> None:
    with pytest.raises(Wrong) as wrong:
        compile_wanted(Wanted(expression, regex=True))
    assert str(wrong.value) and "re2" not in str(wrong.value)
