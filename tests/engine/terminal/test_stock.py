"""Equal to stock pyte, cell for cell, where stock is right."""

import random
from collections.abc import Callable

import pyte
import pytest

from engine.terminal import ByteStream, Screen
from tests.engine.terminal.screens import edits, full, history, like_ours, log

KINDS: dict[str, Callable[[random.Random], str]] = {
    "log": lambda r: log(r, 60),
    "wide": lambda r: log(r, 60, wide=True),
    "edits": lambda r: edits(r, 300),
    "full": lambda r: full(r, 250),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(25))
def test_random_streams_give_the_cells_that_stock_gives(kind: str, seed: int) -> None:
    r = random.Random(f"{kind}{seed}")
    columns, lines = r.choice([40, 41, 80]), r.choice([5, 10, 14])
    data = KINDS[kind](r).encode()
    stock = pyte.HistoryScreen(columns, lines, history=2000)
    ours = Screen(columns, lines, 2000)
    theirs, mine = pyte.ByteStream(stock), ByteStream(ours)
    while data:
        k = r.choice([1, 3, 17, 200, 5000])
        theirs.feed(data[:k])
        mine.feed(data[:k])
        data = data[k:]
    for y in range(lines):
        for x in range(columns):
            assert like_ours(ours.buffer[y][x]) == like_ours(stock.buffer[y][x]), (y, x)
    assert (ours.cursor.x, ours.cursor.y) == (stock.cursor.x, stock.cursor.y)
    assert ours.cursor.hidden == stock.cursor.hidden
    assert like_ours(ours.cursor.attrs)[1:] == like_ours(stock.cursor.attrs)[1:]
    assert ours.title == stock.title
    assert ours.display == [row.replace("\0", "") for row in stock.display]
    if kind in {"log", "wide"}:
        theirs_back = ["".join(row[x].data for x in range(columns)).rstrip() for row in stock.history.top]
        assert history(ours) == theirs_back


def test_the_comparison_would_notice_a_difference() -> None:
    stock, ours = pyte.Screen(10, 2), Screen(10, 2)
    pyte.Stream(stock).feed("\x1b[31mred")
    ByteStream(ours).feed(b"\x1b[32mred")
    assert tuple(ours.buffer[0][0])[:9] != like_ours(stock.buffer[0][0])


def test_what_whoever_knows_pyte_uses_is_there() -> None:
    screen = Screen(10, 3)
    stream = ByteStream(screen)
    stream.feed(b"ab\x1b[1;31mc")
    assert isinstance(screen, pyte.Screen)
    assert isinstance(stream, pyte.Stream)
    assert screen.display[0] == "abc       "
    assert screen.buffer[0][2] == pyte.screens.Char("c", fg="red", bold=True)
    assert screen.dirty == {0, 1, 2}
    screen.dirty.clear()
    stream.feed(b"d")
    assert screen.dirty == {0}
    assert screen.cursor.attrs.fg == "red"
    screen.set_mode(pyte.modes.LNM)
    stream.feed(b"\n")
    assert screen.cursor.x == 0
    screen.cursor_position(1, 2)
    screen.draw("X")
    assert screen.display[0].startswith("aXcd")
    with pytest.raises(TypeError):
        pyte.Stream(object())  # type: ignore[arg-type]


def test_a_stream_of_stock_drives_our_screen() -> None:
    screen = Screen(20, 4)
    pyte.ByteStream(screen).feed("a\x1b[2;1;31mb\x1b[0mc日\r\n\x1b[3;5Hd\x1b[1;1H\x1b[2@\x1b]2;t\x07".encode())
    assert [screen.text(y) for y in range(3)] == ["  abc日", "", "    d"]
    assert screen.buffer[0][3].fg == "red"
    assert screen.buffer[0][3].faint
    assert screen.runs(0)[-1][1] is screen.cursor.pen
    assert screen.title == "t"
