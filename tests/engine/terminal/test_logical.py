"""Places by line and cell: the same text stands there whatever the width is and however much has scrolled by."""

import random

import pytest

from engine.terminal import LogicalLines, Screen, Spot, Stream
from tests.engine.terminal.screens import fed

WORDS = ("a", "word", "日本語", "e\u0301", "x" * 17, "👩‍👩‍👧")


def row_text(screen: Screen, row: int) -> str:
    back = screen.scrollback
    runs = back.runs(row) if row < back.total else screen.runs(row - back.total)
    return "".join(text for text, _ in runs)


def numbered(count: int, r: random.Random) -> str:
    lines = (f"{n}: " + " ".join(r.choice(WORDS) for _ in range(r.randint(0, 14))) for n in range(count))
    return "".join(f"\x1b[3{r.randint(1, 6)}m{line}\x1b[m\r\n" for line in lines)


@pytest.mark.parametrize("seed", range(12))
def test_a_spot_stands_while_rows_wrap_anew(seed: int) -> None:
    r = random.Random(seed)
    screen = fed(numbered(300, r), columns=30, lines=8, scrollback=10_000)
    lines = LogicalLines(screen)
    texts = {n: lines.text(n) for n in range(lines.first, lines.end)}
    assert [texts[n].split(":")[0] for n in range(300)] == [str(n) for n in range(300)]
    for columns in (12, 50, 31, 30):
        screen.resize(8, columns)
        assert {n: lines.text(n) for n in range(lines.first, lines.newest)} == {
            n: text for n, text in texts.items() if lines.first <= n < lines.newest
        }
        for row in range(screen.scrollback.first, screen.scrollback.total + screen.cursor.y):
            spot = lines.spot(row)
            assert lines.row(spot) == row
            assert row in lines.rows(spot.line)
        number = r.randrange(lines.first, lines.newest)
        assert row_text(screen, lines.row(Spot(number, 0))).startswith(f"{number}:"[:columns])


def test_lines_are_numbered_on_while_the_oldest_go_and_nothing_is_expanded_for_it() -> None:
    screen = fed("", columns=40, lines=5, scrollback=10_000)
    stream = Stream(screen)
    lines = LogicalLines(screen)
    sent = 0
    for _ in range(30):
        stream.feed("".join(f"line {n}\r\n" for n in range(sent, sent + 5_000)))
        sent += 5_000
        assert lines.newest == sent
        first = lines.first
        assert lines.spot(screen.scrollback.first) == Spot(first, 0)
    assert all(block.raw is not None for block in screen.scrollback._blocks if block.count > 100)
    assert lines.row(lines.spot(screen.scrollback.first + 500)) == screen.scrollback.first + 500
    assert lines.text(sent - 1) == f"line {sent - 1}"
    assert lines.text(first) == f"line {first}"


def test_a_line_that_is_half_on_the_screen_is_one_line_with_one_number() -> None:
    screen = fed("first\r\n" + "x" * 50 + "y", columns=20, lines=2)
    lines = LogicalLines(screen)
    assert lines.text(1) == "x" * 50 + "y"
    assert lines.rows(1) == range(1, 4)
    assert lines.spot(2) == Spot(1, 20)
    assert lines.spot(3) == Spot(1, 40)
    assert lines.row(Spot(1, 45)) == 3
    assert lines.newest == 1
    assert lines.settled == 1


def test_a_line_too_long_to_be_one_goes_on_in_the_next() -> None:
    screen = fed("z" * 25_000 + "\r\nend\r\n" * 4, columns=100, lines=3, scrollback=10_000)
    lines = LogicalLines(screen)
    parts = [n for n in range(lines.first, lines.end) if lines.text(n).startswith("z")]
    assert len(parts) == 3
    assert [lines.goes_on(n) for n in parts] == [True, True, False]
    assert "".join(lines.text(n) for n in parts) == "z" * 25_000


def test_the_alternate_screen_has_lines_of_its_own() -> None:
    screen = fed("one\r\n" * 10 + "x" * 30 + "\x1b[?1049h\x1b[Hpicture", columns=20, lines=4)
    lines = LogicalLines(screen)
    assert lines.text(lines.settled) == "picture"
    assert lines.spot(screen.scrollback.total) == Spot(lines.settled, 0)


def test_clearing_the_scrollback_renumbers_nothing() -> None:
    screen = fed("".join(f"line {n}\r\n" for n in range(50)), columns=20, lines=4)
    Stream(screen).feed("\x1b[3J")
    lines = LogicalLines(screen)
    assert lines.first == 47
    assert lines.text(47) == "line 47"
