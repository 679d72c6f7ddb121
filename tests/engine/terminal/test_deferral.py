"""Lines that scroll straight off are kept raw, and nobody can tell."""

import random
from collections.abc import Callable

import pyte
import pytest

from engine.terminal import Screen, Stream, deferral, scanning
from tests.engine.terminal.screens import edits, full, history, log, picture

ROW_EDITS = [
    "\x1b[K",
    "\r\x1b[2Kxx",
    "\x1b[5G\x1b[1Kyy",
    "\x08\x08z",
    "\x1b[3D\x1b[2X",
    "\x1b[4D\x1b[P",
    "\x1b[9G\x1b[2@q",
    "e\u0301 \u26a0\ufe0f 👨\u200d💻",
    "日本" * 30,
    "\t\tq",
    "\x1b[44mblue",
    "\x1b[48;5;3mx\x1b[49m",
]
BREAKS = [
    "\x1b[2;3Habc",
    "\x1b[2J",
    "\x07",
    "\x1b[5A",
    "\x1b[44m",
    "\x1b]0;t\x07",
    "\x1b[3J",
    "\x1b(0q\x1b(B",
]


def body(r: random.Random) -> str:
    text = log(r, r.choice([800, 2000]))
    if r.random() < 0.5:
        text = "\r\n".join(line + (r.choice(ROW_EDITS) if r.random() < 0.3 else "") for line in text.split("\r\n"))
    if r.random() < 0.3:
        text = text.replace("\x1b[0m", "\x1b[1m").replace("\x1b[m", "\x1b[31m")
    for _ in range(r.choice([0, 0, 1, 4])):
        at = text.find("\n", r.randrange(len(text))) + 1
        text = text[:at] + r.choice(BREAKS) + text[at:]
    return text


@pytest.mark.parametrize("seed", range(60))
def test_deferral_on_and_off_give_equal_screens(seed: int) -> None:
    r = random.Random(seed)
    columns, lines = r.choice([40, 80, 120]), r.choice([1, 2, 5, 24, 40])
    limit = r.choice([0, 50, 500, 5000])
    kinds: list[Callable[[random.Random, int], str]] = [log, edits, full]
    kind = r.choice(kinds)
    before, after = kind(r, 60), log(r, 20) + edits(r, 20)
    data = body(r) + after
    newline = r.random() < 0.3
    if newline:
        data = data.replace("\r\n", "\n")
    size = r.choice([9000, 30_000, 10**9])
    pictures = []
    for deferred in (True, False):
        screen = Screen(columns, lines, limit)
        stream = Stream(screen)
        stream.deferral = deferred
        stream.feed(before)
        if newline:
            screen.set_mode(pyte.modes.LNM)
        for at in range(0, len(data), size):
            stream.feed(data[at : at + size])
        pictures.append(picture(screen))
        if limit == 5000 and seed % 2:
            screen.resize(lines + 2, columns - 7)
            pictures[-1]["resized"] = [screen.runs(y) for y in range(screen.lines)]
            pictures[-1]["last"] = picture(screen)["scrollback"][-200:]
    assert pictures[0] == pictures[1]


def test_a_log_is_deferred_and_a_full_screen_program_is_not() -> None:
    screen = Screen(80, 24)
    stream = Stream(screen)
    stream.feed("line of a log\r\n" * 10_000)
    assert stream.deferred > 140_000
    screen = Screen(80, 24)
    stream = Stream(screen)
    stream.feed("\x1b[Hline of a program\r\n" * 10_000)
    assert stream.deferred == 0


PASSING = [
    "\x0b",
    "\x0c",
    "\x18",
    "\x00",
    "\x05",
    "\x85",
    "\x84",
    "\x0e",
    "q\x0f",
    "\x1b[4;31m",
    "\x1b[100m",
    "\n",
    "\rx",
    "⚠️",
]
"""What lines that go by unseen may hold, and some things that they may not."""


@pytest.mark.parametrize("seed", range(80))
def test_lines_that_go_by_leave_the_screen_that_they_would_have_left(seed: int) -> None:
    r = random.Random(seed)
    columns, lines, limit = r.choice([20, 80]), r.choice([1, 2, 24]), r.choice([0, 1, 30])
    newline = r.random() < 0.2
    data = "\x1b[20h" * newline + log(r, 30)
    for _ in range(3):
        head = log(r, 600).split("\r\n")
        for _ in range(r.choice([0, 1, 3])):
            head[r.randrange(len(head))] += r.choice(PASSING)
        data += ("\n" if newline else "\r\n").join(head) + (edits(r, 40) if r.random() < 0.3 else "")
    size = r.choice([20_000, 10**9])
    pictures = []
    for deferred in (True, False):
        screen = Screen(columns, lines, limit)
        stream = Stream(screen)
        stream.deferral = deferred
        for at in range(0, len(data), size):
            stream.feed(data[at : at + size])
        pictures.append(picture(screen))
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize(
    "lasting",
    ["\x1b[44m", "\x1bH", "  \x88", "\x9b?25l", "\x1b[?25l", "\x1b]0;t\x1b\\", "\x0e", "\x07", "a\nb", "\x1b7"],
)
def test_what_a_line_that_goes_by_leaves_behind_is_there(lasting: str) -> None:
    lines = [f"line {n}" for n in range(400)]
    for at in range(0, 400, 3):
        data = "\r\n".join([*lines[:at], lines[at] + lasting, *lines[at + 1 :]]) + "\r\n"
        pictures = []
        for deferred in (True, False):
            screen = Screen(20, 3, 10)
            stream = Stream(screen)
            stream.deferral = deferred
            stream.feed(data)
            pictures.append(picture(screen))
        assert pictures[0] == pictures[1]


def test_of_lines_that_go_by_only_the_last_are_looked_at_closely(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def counting(data: str, start: int, newline: bool) -> int:
        nonlocal looked
        end = scanning.scan(data, start, newline)
        looked += end - start
        return end

    monkeypatch.setattr(deferral, "scan", counting)
    screen = Screen(80, 24, 200)
    stream = Stream(screen)
    text = "".join(f"\x1b[3{n % 8}mline\x1b[0m {n} of a log\r\n" for n in range(40_000))
    stream.feed(text)
    assert stream.deferred > 0.9 * len(text)
    assert looked < len(text) / 20
    assert screen.text(22) == "line 39999 of a log"
    assert history(screen) == [f"line {n} of a log" for n in range(40_000 - 23 - 200, 40_000 - 23)]


def test_lines_that_are_dropped_are_counted_whatever_way_they_go() -> None:
    for limit in (100, 5_000):
        screen = Screen(80, 24, limit)
        stream = Stream(screen)
        for n in (50, 3, 700, 30_000, 12, 30_000):
            stream.feed("line of a log\r\n" * n)
        back = screen.scrollback
        assert back.total == 60_765 - 23
        assert back.dropped_lines == back.total - sum(block.count for block in back._blocks)


def test_reading_the_total_expands_nothing() -> None:
    screen = Screen(80, 24)
    Stream(screen).feed("\x1b[32mgreen\x1b[0m line\r\n" * 5000)
    assert screen.scrollback.total == 5000 - 23
    raw = [block for block in screen.scrollback._blocks if block.raw is not None]
    assert raw
    screen.scrollback.runs(screen.scrollback.first + 2500)
    assert len([block for block in raw if block.raw is not None]) == len(raw) - 1


def test_every_deferred_row_is_there_with_its_attributes() -> None:
    screen = Screen(80, 24)
    Stream(screen).feed("".join(f"\x1b[3{n % 8}mline {n}\x1b[0m end\r\n" for n in range(9000)))
    back = screen.scrollback
    names = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
    assert back.total - back.first > 8900
    for n in range(back.first, back.total):
        (text, pen), (rest, plain) = back.runs(n)
        assert (text, rest) == (f"line {n}", " end")
        assert pen.fg == names[n % 8]
        assert plain.fg == "default"


def test_rows_on_the_screen_that_nobody_looked_at_can_be_edited() -> None:
    screen = Screen(40, 5)
    stream = Stream(screen)
    stream.feed("\x1b[31mab\x1b[0mcd 日本\r\n" * 2000)
    stream.feed("\x1b[1;2HX\x1b[2;1H\x1b[K\x1b[3;6H\x1b[PY")
    assert [screen.text(y) for y in range(4)] == ["aXcd 日本", "", "abcd Y本", "abcd 日本"]
    assert screen.buffer[0][0].fg == "red"
    assert screen.buffer[3][5].data == "日"
    assert screen.buffer[3][6].data == ""
