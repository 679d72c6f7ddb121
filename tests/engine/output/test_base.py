"""A pane opened in the middle of a stream equals one that was open all along, cell for cell."""

import random

import pytest

from engine.output.buffer import OutputBuffer
from engine.replay import SizeMark
from engine.terminal import Screen, Stream
from tests.engine.terminal.screens import edits, full, log, picture
from tests.fuzz.streams import piece

SCROLLBACK = 150


def wild(r: random.Random, count: int) -> str:
    # Double-width rows aside: what lies in their hidden half is not told.
    return "".join(part for part in (piece(r) for _ in range(count)) if not part.startswith("\x1b#"))


def shown(screen: Screen, scrollback: int) -> dict[str, object]:
    """What a person sees, with the scrollback that both have."""
    seen = picture(screen)
    rows = seen["scrollback"]
    assert isinstance(rows, list)
    seen["scrollback"] = rows[max(0, len(rows) - scrollback) :]
    return {key: value for key, value in seen.items() if key not in {"bells", "failures"}}


def play(screen: Screen, stream: Stream, text: str, start: int, sizes: list[SizeMark]) -> None:
    """Feed text with the size changes at their positions."""
    done = 0
    for mark in sizes:
        stream.feed(text[done : mark.position - start])
        done = mark.position - start
        screen.resize(mark.rows, mark.cols)
    stream.feed(text[done:])


@pytest.mark.parametrize("seed", range(80))
def test_a_pane_opened_mid_stream_equals_one_open_all_along(seed: int) -> None:
    r = random.Random(seed)
    kind = (log, edits, full, wild)[seed % 4]
    cols, rows = r.choice([20, 40, 80]), r.choice([5, 14, 30])
    buffer = OutputBuffer(40_000, cols, rows, pty=True)
    whole = ""
    sizes: list[SizeMark] = []
    while len(whole) < 150_000:
        text = kind(r, 120)
        while text:
            cut = r.randint(1, 5_000)
            buffer.append(text[:cut], 0.0)
            whole, text = whole + text[:cut], text[cut:]
            while buffer.surplus > 10_000 or (r.random() < 0.3 and buffer.surplus):
                buffer.settle(0.0)
        if r.random() < 0.2:
            size = SizeMark(buffer.end, r.choice([20, 40, 80]), r.choice([5, 14, 30]))
            buffer.marks.add_size(size.position, size.cols, size.rows)
            sizes = [mark for mark in sizes if mark.position != size.position] + [size]
    replay = buffer.replay(None)
    assert replay.base is not None
    assert replay.start > 0
    assert not replay.approximate
    late = Screen(replay.base.cols, replay.base.rows, SCROLLBACK)
    late_stream = Stream(late)
    late_stream.feed(replay.base.prelude)
    text = "".join(replay.pieces)
    play(late, late_stream, text, replay.start, [mark for mark in replay.marks if isinstance(mark, SizeMark)])
    there = Screen(cols, rows, SCROLLBACK)
    there_stream = Stream(there)
    play(there, there_stream, whole, 0, sizes)
    assert whole[replay.start :] == text
    kept = min(late.scrollback.total - late.scrollback.first, there.scrollback.total - there.scrollback.first)
    ours, true = shown(late, kept), shown(there, kept)
    assert [name for name in true if ours[name] != true[name]] == []


def test_a_flood_that_outruns_the_base_is_flagged_and_shows_the_newest_picture() -> None:
    buffer = OutputBuffer(50_000, 40, 6, pty=True)
    buffer.append("\x1b[?1049h", 0.0)
    for number in range(4_000):
        buffer.append(f"\x1b[2J\x1b[Hpicture {number}\r\n{'x' * 60}", 0.0)
    assert not buffer.settle(0.0)
    replay = buffer.replay(None)
    assert replay.approximate
    assert replay.base is not None
    late = Screen(40, 6)
    stream = Stream(late)
    stream.feed(replay.base.prelude + "".join(replay.pieces))
    assert late.alternate
    assert late.text(0) == "picture 3999"


def test_what_is_given_up_is_dropped_in_small_steps() -> None:
    buffer = OutputBuffer(300_000, 80, 24, pty=True)
    r = random.Random(1)
    while buffer.surplus < 90_000:
        buffer.append(full(r, 100), 0.0)
    before = buffer.surplus
    assert buffer.settle(0.0)
    assert 0 < before - buffer.surplus < 50_000
    while buffer.settle(0.0):
        pass
    assert buffer.surplus == 0
    assert buffer.kept >= 300_000


def test_what_was_passed_over_is_emulated_only_when_somebody_asks() -> None:
    buffer = OutputBuffer(50_000, 40, 6, pty=True)
    for number in range(40):
        buffer.append("".join(f"\x1b[Hpicture {number:02} {line:03}\x1b[K" for line in range(250)), 0.0)
        if buffer.surplus > 100_000:
            buffer.settle(0.0)
    replay = buffer.replay(None)
    assert replay.approximate
    assert replay.base is not None
    late = Screen(40, 6)
    stream = Stream(late)
    stream.feed(replay.base.prelude)
    before = late.text(0)
    stream.feed("".join(replay.pieces))
    assert before.startswith("picture")
    assert before < late.text(0) == "picture 39 249"
    assert buffer.replay(None) == replay
