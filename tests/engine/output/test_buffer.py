"""The buffer: absolute positions, the newest kept, marks and line starts true after any dropping."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.output.budget import share_out
from engine.output.buffer import OutputBuffer
from engine.output.lines import page
from engine.replay import SizeMark, TimeMark

texts = st.lists(
    st.tuples(st.text(alphabet="ab\n\x1b[31m日", max_size=30), st.integers(1, 900)).map(lambda pair: pair[0] * pair[1]),
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(texts, st.integers(20_000, 80_000))
def test_what_is_kept_is_the_newest_at_its_true_position(chunks: list[str], limit: int) -> None:
    buffer = OutputBuffer(limit, 80, 24)
    whole = ""
    for chunk in chunks:
        buffer.append(chunk, 0.0)
        buffer.settle(1.0)
        whole += chunk
    assert buffer.end == len(whole)
    assert buffer.kept >= min(limit, len(whole))
    assert buffer.text(0) == whole[buffer.start :]
    assert buffer.line_feeds == whole.count("\n")
    assert buffer.dropped_lines == whole[: buffer.start].count("\n")
    for start in {buffer.start, (buffer.start + buffer.end) // 2, max(buffer.start, buffer.end - 5)}:
        assert buffer.text(start, start + 777) == whole[start : start + 777]
    for line in {0, buffer.dropped_lines + 1, (buffer.dropped_lines + buffer.line_feeds) // 2, buffer.line_feeds}:
        expected = 0
        for _ in range(line):
            expected = whole.find("\n", expected) + 1 or len(whole)
        assert buffer.line_start(line) == max(expected, buffer.start)


@settings(max_examples=100, deadline=None)
@given(texts, st.integers(1, 300), st.one_of(st.none(), st.integers(0, 3000)))
def test_a_page_is_those_very_lines(chunks: list[str], limit: int, offset: int | None) -> None:
    buffer = OutputBuffer(10_000_000, 80, 24)
    for chunk in chunks:
        buffer.append(chunk, 0.0)
    lines = "".join(chunks).splitlines(keepends=True) if "\x0b" not in "".join(chunks) else []
    found = page(buffer, 10_000_000, offset, limit)
    assert found.total == len(lines)
    first = max(len(lines) - limit, 0) if offset is None else offset
    assert buffer.text(found.start, found.end) == "".join(lines[first : first + limit])


def test_a_replay_after_dropping_starts_at_a_line_with_the_modes_in_force() -> None:
    buffer = OutputBuffer(50_000, 80, 24)
    buffer.append("\x1b[31m\x1b[?2004h", 1.0)
    for number in range(20_000):
        buffer.append(f"line {number}\r\n", 2.0 + number)
        buffer.settle(1.0)
    replay = buffer.replay(None)
    assert replay.base is not None
    assert "31m" in replay.base.prelude and "?2004h" in replay.base.prelude
    first = "".join(replay.pieces).split("\r\n", 1)[0]
    assert first == f"line {replay.dropped_lines}"
    # The time mark in force is moved to the start, so that every line has its time.
    time = next(mark for mark in replay.marks if isinstance(mark, TimeMark))
    assert time == TimeMark(replay.start, 2.0 + replay.dropped_lines)


def test_size_marks_survive_dropping() -> None:
    buffer = OutputBuffer(40_000, 80, 24)
    buffer.append("x\n" * 30_000, 1.0)
    buffer.marks.add_size(buffer.end, 100, 30)
    buffer.append("y\n" * 10_000, 2.0)
    early = buffer.replay(None)
    assert early.base is not None
    assert (early.base.cols, early.base.rows) == (80, 24)
    assert [mark for mark in early.marks if isinstance(mark, SizeMark)] == [SizeMark(60_000, 100, 30)]
    buffer.append("z\n" * 40_000, 3.0)
    buffer.settle(1.0)
    late = buffer.replay(None)
    assert late.base is not None
    assert (late.base.cols, late.base.rows) == (100, 30)


def test_small_writes_cost_little_memory() -> None:
    buffer = OutputBuffer(1_000_000, 80, 24)
    for number in range(100_000):
        buffer.append("x", number / 1000)
    assert len(list(buffer.pieces(0))) < 20


@pytest.mark.parametrize("read", [5_000, 16_384, 65_536, 300_000])
def test_however_large_the_reads_little_more_is_kept_than_asked(read: int) -> None:
    """A slow machine reads full pipes: no block may be as large as a read."""
    buffer = OutputBuffer(1_000_000, 80, 24)
    text = "".join(f"{number}\n" for number in range(200_000))
    for start in range(0, len(text), read):
        buffer.append(text[start : start + read], 0.0)
    buffer.shrink(20_000)
    assert 20_000 <= buffer.kept < 20_000 + 16_384 + 1
    assert buffer.text(buffer.end - 20_000) == text[-20_000:]
    assert buffer.text(buffer.line_start(199_000)) == text[text.index("199000\n") :]


def test_finished_and_hidden_jobs_give_way_first() -> None:
    buffers = [OutputBuffer(1_000_000, 80, 24) for _ in range(4)]
    for buffer in buffers:
        for _ in range(30):
            buffer.append("x" * 10_000, 0.0)
    share_out([(buffers[0], 0), (buffers[1], 1), (buffers[2], 2), (buffers[3], 2)], 900_000, 100_000)
    kept = [buffer.kept for buffer in buffers]
    assert sum(kept) <= 900_000 + 2 * 16_384
    assert kept[0] < 150_000
    assert kept[2] == kept[3] == 300_000


@pytest.mark.parametrize("at", [0, 5, 9])
def test_a_kept_position_goes_on_without_a_base(at: int) -> None:
    buffer = OutputBuffer(1_000, 80, 24)
    buffer.append("0123456789", 0.0)
    replay = buffer.replay(at)
    assert replay.base is None
    assert "".join(replay.pieces) == "0123456789"[at:]
