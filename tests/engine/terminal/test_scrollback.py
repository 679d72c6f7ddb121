"""What has scrolled off: logical lines, absolute numbers, bounds, and the flow to another width."""

import random

import pytest

from engine.terminal import Screen, Stream
from tests.engine.terminal.screens import fed, history, log, texts


def logical(screen: Screen) -> list[str]:
    """All lines, scrollback and screen, with wrapped rows joined."""
    back = screen.scrollback
    rows = [("".join(t for t, _ in back.runs(n)), back.wrapped(n)) for n in range(back.first, back.total)]
    rows += [("".join(t for t, _ in screen.runs(y)), screen.wrapped(y)) for y in range(screen.lines)]
    out, held = [], ""
    for text, goes_on in rows:
        held += text.ljust(screen.columns) if goes_on else text
        if not goes_on:
            out.append(held.rstrip())
            held = ""
    while out and not out[-1]:
        out.pop()
    return out


def test_numbers_are_absolute_and_the_oldest_rows_go() -> None:
    screen = fed("".join(f"line {n}\r\n" for n in range(1000)), lines=6, scrollback=100)
    back = screen.scrollback
    assert back.total == 995
    assert back.first == 895
    assert back.text(895) == "line 895"
    for n in (894, 995, -1):
        with pytest.raises(IndexError):
            back.text(n)
    Stream(screen).feed("more\r\n" * 300)
    assert (back.first, back.total) == (1195, 1295)


def test_wrapped_rows_are_one_line() -> None:
    screen = fed("x" * 50 + "\r\n" + "end\r\n" * 10, columns=20, lines=4)
    back = screen.scrollback
    assert [back.wrapped(n) for n in range(4)] == [True, True, False, False]
    assert history(screen)[:3] == ["x" * 20, "x" * 20, "x" * 10]
    screen.resize(4, 60)
    assert history(screen)[0] == "x" * 50


def test_a_line_that_is_half_on_the_screen_is_one_line() -> None:
    screen = fed("x" * 50, columns=20, lines=2)
    assert screen.scrollback.wrapped(0)
    assert screen.wrapped(0)
    screen.resize(2, 60)
    assert texts(screen)[0] == "x" * 50
    assert history(screen) == []


@pytest.mark.parametrize("seed", range(40))
def test_any_resizes_keep_every_line(seed: int) -> None:
    r = random.Random(seed)
    screen = Screen(r.choice([20, 40, 80]), r.choice([2, 5, 20]), 10**6)
    stream = Stream(screen)
    stream.deferral = bool(seed % 2)
    stream.feed(log(r, r.choice([30, 400])))
    before = logical(screen)
    y = screen.cursor.y
    for _ in range(4):
        screen.resize(r.choice([1, 2, 7, 30]), r.choice([2, 10, 33, 80, 200]))
        assert logical(screen) == before
        assert 0 <= screen.cursor.y < screen.lines
    assert y >= 0


def test_the_cursor_stays_behind_its_character() -> None:
    screen = fed("$ a long command that wraps here", columns=20, lines=5)
    for columns in (10, 7, 40, 20):
        screen.resize(5, columns)
        offset = columns * screen.cursor.y + screen.cursor.x
        start = next(y for y in range(screen.lines) if screen.text(y).startswith("$"))
        assert offset - start * columns == len("$ a long command that wraps here")
    Stream(screen).feed("!")
    assert logical(screen) == ["$ a long command that wraps here!"]


def test_one_by_one_and_back() -> None:
    screen = fed("hello\r\nworld 日本\r\n$ ", columns=20, lines=6)
    screen.resize(1, 1)
    screen.resize(6, 20)
    assert logical(screen)[:1] == ["hello"]
    Stream(screen).feed("x\r\n" * 10)
    screen = fed("line of text\r\n" * 900, scrollback=1000)
    for _ in range(3):
        screen.resize(1, 1)
        screen.resize(6, 20)
    assert logical(screen) == ["line of text"] * 900
    screen = fed("hello\r\nworld 日本\r\n$ ", columns=20, lines=6)
    screen.resize(1, 1)
    screen.resize(6, 20)
    assert logical(screen)[-1] == "$"


def test_rows_go_to_the_scrollback_and_come_back() -> None:
    screen = fed("1\r\n2\r\n3\r\n4\r\n5\r\n6", columns=20, lines=6)
    screen.resize(3, 20)
    assert texts(screen) == ["4", "5", "6"]
    assert history(screen) == ["1", "2", "3"]
    assert screen.cursor.y == 2
    screen.resize(6, 20)
    assert texts(screen) == ["1", "2", "3", "4", "5", "6"]
    assert screen.cursor.y == 5


def test_the_main_screen_flows_behind_the_alternate_one() -> None:
    screen = fed("x" * 30 + "\r\n$ \x1b[?1049h\x1b[Hprogram", columns=20, lines=4)
    screen.resize(4, 40)
    assert texts(screen)[0] == "program"
    Stream(screen).feed("\x1b[?1049l!")
    assert texts(screen)[:2] == ["x" * 30, "$ !"]


@pytest.mark.parametrize("columns", [7, 33, 79, 200])
def test_rows_are_counted_at_another_width_without_making_them(columns: int) -> None:
    text = "".join(f"\x1b[3{n % 8}m{'word ' * (n % 40)}end\x1b[0m\r\n" for n in range(3000))
    deferred, printed = Screen(80, 24), Screen(80, 24)
    for screen in (deferred, printed):
        stream = Stream(screen)
        stream.deferral = screen is deferred
        stream.feed(text)
        screen.resize(24, columns)
    totals = [screen.scrollback.total for screen in (deferred, printed)]
    assert any(block.raw is not None for block in deferred.scrollback._blocks)
    assert totals[0] == totals[1]
    assert history(deferred) == history(printed)


def test_ris_and_ed_3_clear_it_and_numbers_go_on() -> None:
    for clear in ("\x1bc", "\x1b[3J"):
        screen = fed("a\r\n" * 20, lines=6)
        Stream(screen).feed(clear)
        assert screen.scrollback.first == screen.scrollback.total == 15


def test_a_line_without_an_end_is_bounded() -> None:
    screen = Screen(20, 4, 100)
    stream = Stream(screen)
    for _ in range(50):
        stream.feed("x" * 50_000)
    held = sum(len(line) for block in screen.scrollback._blocks for line in block.lines)
    assert held < 50_000
    assert screen.scrollback.total - screen.scrollback.first == 100


@pytest.mark.parametrize("deferral", [True, False])
def test_ten_thousand_lines_cost_little_memory(deferral: bool) -> None:
    import tracemalloc

    data = "".join(
        f"\x1b[32m{n:08}\x1b[0m a line of a log with some text in it to look like one\r\n" for n in range(10_000)
    )
    tracemalloc.start()
    screen = Screen(120, 40)
    stream = Stream(screen)
    stream.deferral = deferral
    stream.feed(data)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(screen.scrollback) > 9900
    assert held < 15 * len(data)  # stock pyte's HistoryScreen needs over 150 MB for this


def test_a_screen_without_scrollback_keeps_none() -> None:
    screen = fed("line\r\n" * 20_000, scrollback=0)
    assert len(screen.scrollback) == 0
    assert sum(len(block.lines) for block in screen.scrollback._blocks) == 0
    assert texts(screen)[:5] == ["line"] * 5
