"""How a stream is cut makes no difference; hostile streams make no exception."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.terminal import ByteStream, Screen, Stream
from tests.engine.terminal.screens import picture
from tests.fuzz.streams import one, piece


@pytest.mark.parametrize("seed", range(60))
def test_random_splits_give_equal_screens(seed: int) -> None:
    r = random.Random(seed)
    data = "".join(piece(r) for _ in range(300)).encode("utf-8", "replace")
    whole, cut = Screen(40, 12, 200), Screen(40, 12, 200)
    ByteStream(whole).feed(data)
    stream = ByteStream(cut)
    while data:
        k = r.choice([1, 2, 5, 50, 1000])
        stream.feed(data[:k])
        data = data[k:]
    assert picture(cut) == picture(whole)


@given(
    st.lists(
        st.sampled_from(["\x1b", "[", "]", "0;", "?", "1", ";", "m", "H", "\x07", "\\", "a", "é", "\n", "\x18", "P"]),
        max_size=40,
    ),
    st.data(),
)
@settings(max_examples=150, deadline=None)
def test_any_split_of_sequence_parts(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    whole, cut = Screen(10, 4), Screen(10, 4)
    Stream(whole).feed(text)
    at = data.draw(st.integers(0, len(text)))
    stream = Stream(cut)
    stream.feed(text[:at])
    stream.feed(text[at:])
    assert picture(cut) == picture(whole)


@pytest.mark.parametrize("seed", range(150))
def test_random_and_mutated_streams_leave_a_sound_screen(seed: int) -> None:
    one(seed)


@pytest.mark.parametrize(
    "opening", ["\x1b]0;", "\x1bP", "\x1b_", "\x1b^", "\x1bX", "\x1b[", "\x1b]8;;", "\x1b(", "\x1b"]
)
@pytest.mark.parametrize("filler", ["x", "1;", "é", "\x00"])
def test_an_unterminated_sequence_is_bounded(opening: str, filler: str) -> None:
    screen = Screen(20, 4, 10)
    stream = Stream(screen)
    stream.feed(opening)
    for _ in range(40):
        stream.feed(filler * 50_000)
        assert len(stream._pending) < 100_000
    stream.feed("\x18\x1b\\\r\n\x1b[2J\x1b[Hback")
    assert screen.text(0) == "back"
    assert not screen.failures


def test_many_parameters_and_huge_numbers_do_no_harm() -> None:
    screen = Screen(20, 4)
    Stream(screen).feed("a\x1b[" + "9" * 5000 + "b\x1b[" + "1;" * 3000 + "m\x1b[99999999L\x1b[99999999@X\x1b[1;2A")
    assert not screen.failures
