"""A screen that joins in the middle by a prelude equals one that was there all along."""

import random

import pytest

from engine.terminal import Screen, Stream, prelude
from tests.engine.terminal.screens import edits, full, log, picture
from tests.fuzz.streams import piece


def wild(r: random.Random, count: int) -> str:
    # Double-width rows aside: what lies in their hidden half is not told.
    return "".join(part for part in (piece(r) for _ in range(count)) if not part.startswith("\x1b#"))


def same(picture: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in picture.items() if key not in {"bells", "failures"}}


@pytest.mark.parametrize("seed", range(120))
def test_a_viewer_that_joins_equals_one_that_was_there(seed: int) -> None:
    r = random.Random(seed)
    kind = (log, edits, full, wild)[seed % 4]
    columns, lines, limit = r.choice([20, 40, 80]), r.choice([2, 5, 14]), r.choice([0, 100])
    there = Screen(columns, lines, limit)
    stream = Stream(there)
    stream.feed(kind(r, 80))
    joined = Screen(columns, lines, limit)
    later = Stream(joined)
    later.feed(prelude(there, stream))
    assert not joined.failures
    assert same(picture(joined)) == same(picture(there))
    text = kind(r, 80)
    stream.feed(text)
    later.feed(text)
    if limit:
        there.resize(lines + 1, columns - 3)
        joined.resize(lines + 1, columns - 3)
    stream.feed(text)
    later.feed(text)
    assert same(picture(joined)) == same(picture(there))


def test_the_alternate_screen_and_what_lies_behind_it_are_told() -> None:
    there = Screen(20, 4)
    stream = Stream(there)
    stream.feed("shell $ vim\r\n\x1b[1;31m\x1b[?1049h\x1b[2;3r\x1b[H\x1b[44mediting\x1b[?25l\x1b]2;vim\x07")
    joined = Screen(20, 4)
    later = Stream(joined)
    later.feed(prelude(there, stream))
    assert same(picture(joined)) == same(picture(there))
    for each in (stream, later):
        each.feed("\x1b[?1049lback")
    assert same(picture(joined)) == same(picture(there))
    assert joined.text(0) == "shell $ vim"
    assert joined.buffer[1][0].fg == "red"


def test_a_wrap_that_pends_behind_the_alternate_screen_is_told() -> None:
    there = Screen(20, 4)
    stream = Stream(there)
    stream.feed("a" * 18 + "日\x1b(0\x1b[1m\x1b[?1049hediting")
    joined = Screen(20, 4)
    later = Stream(joined)
    later.feed(prelude(there, stream))
    for each in (stream, later):
        each.feed("\x1b[?1049lq")
    assert same(picture(joined)) == same(picture(there))
    assert joined.text(1) == "─"


def test_a_log_in_plain_colours_is_told_as_the_lines_it_is() -> None:
    there = Screen(40, 5)
    stream = Stream(there)
    stream.feed("".join(f"line {n}\r\n" for n in range(2_000)))
    told = prelude(there, stream)
    assert "".join(f"line {n}\r\n" for n in range(1_000, 1_995)) in told
    later = Stream(Screen(40, 5))
    later.feed(told)
    assert later.deferred > 0.9 * len(told)
