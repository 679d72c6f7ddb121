"""The emulator's seam: what panes, bases and the screen verb build on."""

from itertools import pairwise

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.terminal import ByteStream, Pen, Screen, Stream

SNIPPETS = [
    *(
        "text",
        "é",
        "日本",
        "⚠️",
        "e\u0301",
        "👨\u200d👩",
        "\r",
        "\n",
        "\r\n",
        "\t",
        "\x07",
        "\x08",
        "\x0e",
        "\x0f",
        "\x1b",
        "\x1b[",
    ),
    *(
        "\x1b[31m",
        "\x1b[4:3m",
        "\x1b[38:2::1:2:3m",
        "\x1b[m",
        "\x1b[?4m",
        "\x1b[>4;1m",
        "\x1b[58;5;1m",
        "\x1b[22J",
        "\x1b[1;2A",
    ),
    *(
        "\x1b[3;2H",
        "\x1b[2;3r",
        "\x1b[r",
        "\x1b[?6h",
        "\x1b[9d",
        "\x1b[6n",
        "\x1b[2J",
        "\x1b[3J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[L",
        "\x1b[M",
    ),
    *(
        "\x1b[@",
        "\x1b[P",
        "\x1b[X",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?47h",
        "\x1b[?47l",
        "\x1b[?3h",
        "\x1b[?5h",
        "\x1b[?5l",
        "\x1b[20h",
    ),
    *(
        "\x1b[4h",
        "\x1b[4l",
        "\x1b7",
        "\x1b8",
        "\x1bc",
        "\x1bM",
        "\x1bD",
        "\x1bE",
        "\x1b(0",
        "\x1b)B",
        "\x1b]2;t\x07",
        "\x1b]8;;u\x1b\\",
    ),
    *(
        "\x1bPq#0;data\x1b\\",
        "\x1b_G\x1b\\",
        "\x1b]0;cut",
        "\x1bPcut",
        "\x18",
        "\x9b1m",
        "\x9c",
        "\x1b#8",
        "\x1b[?2026h",
        "\x1b[?7l",
    ),
]
STREAMS = st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=4), max_size=25).map("".join)


def fed(text: str, columns: int = 20, lines: int = 4) -> Screen:
    screen = Screen(columns, lines)
    Stream(screen).feed(text)
    return screen


def rows(screen: Screen) -> list[str]:
    return [screen.text(y) for y in range(screen.lines)]


def seen(screen: Screen) -> object:
    kept = screen.scrollback
    history = [(kept.runs(n), kept.wrapped(n)) for n in range(kept.first, kept.total)]
    shown = [screen.runs(y) for y in range(screen.lines)]
    return shown, history, screen.cursor.x, screen.cursor.y, screen.title, screen.bells, screen.alternate


def inside(screen: Screen) -> bool:
    return 0 <= screen.cursor.x <= screen.columns and 0 <= screen.cursor.y < screen.lines


def test_runs_join_equal_pens_and_trim_default_blanks() -> None:
    screen = fed("\x1b[1;31mre\x1b[1;31md\x1b[m plain   ")
    assert screen.runs(0) == [("red", Pen(fg="red", bold=True)), (" plain", Pen())]
    assert screen.runs(3) == []


def test_every_field_of_a_pen_is_set_by_its_sequence() -> None:
    screen = fed("\x1b[2;3;4:3;5;7;8;9;53;38:2::1:2:3;48;5;196m\x1b]8;id=1;http://x\x1b\\x")
    assert screen.runs(0) == [
        (
            "x",
            Pen(
                fg="010203",
                bg="ff0000",
                faint=True,
                italics=True,
                underscore=True,
                strikethrough=True,
                reverse=True,
                blink=True,
                conceal=True,
                overline=True,
                underline_style=3,
                link="http://x",
            ),
        )
    ]


@pytest.mark.parametrize("mark", ["\ufe0f", "\u200d", "\u200b", "\ufeff", "\u0301"])
def test_what_has_no_width_eats_no_text(mark: str) -> None:
    joins = mark not in ("\u200b", "\ufeff")  # those two join nothing and are not shown
    assert rows(fed(f"⚠{mark} Warning"))[0] == f"⚠{mark * joins} Warning"


def test_a_wide_character_is_shown_once_and_never_cut_in_two() -> None:
    assert fed("日本", 3).runs(0) == [("日", Pen())]
    assert rows(fed("日本", 3))[:2] == ["日", "本"]
    assert rows(fed("日本\r\x1b[Cx"))[0] == " x本"


def test_rows_that_leave_the_top_go_to_the_scrollback_by_absolute_number() -> None:
    screen = Screen(5, 2, scrollback=3)
    Stream(screen).feed("".join(f"{n}\r\n" for n in range(10)) + "abcdefgh\r\nx")
    kept = screen.scrollback
    assert (kept.first, kept.total) == (8, 11)
    assert [kept.text(n) for n in range(8, 11)] == ["8", "9", "abcde"]
    assert kept.text(10) == "abcde"
    assert kept.wrapped(10)
    assert not kept.wrapped(9)
    for outside in (kept.first - 1, kept.total):
        with pytest.raises(IndexError):
            kept.runs(outside)


def test_the_alternate_screen_leaves_no_trace() -> None:
    screen = fed("one\r\ntwo\x1b[?1049h\x1b[H" + "x\r\n" * 9)
    assert screen.alternate
    Stream(screen).feed("\x1b[?1049l!")
    assert rows(screen)[:2] == ["one", "two!"]
    assert screen.scrollback.total == 0


@pytest.mark.parametrize(
    "junk",
    [
        "\x1b[?4m",
        "\x1b[1;2A",
        "\x1b[22J",
        "\x1b[?6h\x1b[9d",
        "\x1bPq$x\x1b\\",
        "\x1b_a\x1b\\",
        "\x1b^p\x1b\\",
        "\x1bXs\x1b\\",
        "\x1b[<u",
        "\x1b]666;x\x07",
    ],
)
def test_what_pyte_cannot_do_is_skipped_and_the_rest_is_fed(junk: str) -> None:
    assert "rest" in "".join(rows(fed(f"{junk}rest")))


@pytest.mark.parametrize("start", ["\x1b]0;", "\x1bP", "\x1b_", "\x1b["])
def test_a_sequence_without_end_does_not_grow(start: str) -> None:
    stream = Stream(Screen(10, 2))
    stream.feed(start)
    for _ in range(200):
        stream.feed("1" * 1000)
    assert len(stream._pending) <= 65_536


@given(STREAMS, st.lists(st.integers(0, 200), max_size=6))
def test_any_cut_gives_the_same_screen(text: str, cuts: list[int]) -> None:
    screen = Screen(20, 4)
    stream = Stream(screen)
    edges = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    for start, end in pairwise(edges):
        stream.feed(text[start:end])
    whole = fed(text)
    assert seen(screen) == seen(whole)


@given(STREAMS, st.lists(st.tuples(st.integers(1, 9), st.integers(1, 30)), max_size=4))
def test_no_text_and_no_size_takes_the_cursor_outside(text: str, sizes: list[tuple[int, int]]) -> None:
    screen = Screen(1, 1)
    stream = Stream(screen)
    for lines, columns in [*sizes, (1, 1)]:
        stream.feed(text)
        assert inside(screen)
        screen.resize(lines, columns)
        assert inside(screen)
        assert all(len(screen.text(y)) <= columns * 33 for y in range(lines))
    stream.feed(text + "\x1bc\x1b[?1049l.")
    assert rows(screen) == ["."]


def test_a_shrinking_screen_keeps_the_rows_that_leave_the_top() -> None:
    screen = fed("1\r\n2\r\n3\r\n4")
    screen.resize(lines=2)
    assert rows(screen) == ["3", "4"]
    assert [screen.scrollback.text(n) for n in range(2)] == ["1", "2"]


def test_new_line_mode_returns_at_a_line_feed() -> None:
    assert rows(fed("\x1b[20hab\ncd"))[:2] == ["ab", "cd"]


def test_it_is_pyte_for_plain_programs() -> None:
    text = "a\r\nb\x1b[3;4Hc\x1b[1;32md\x1b[m\x1b[2;1He\x1b[Kf\x1b[Lg\r\n\r\n\r\nh"
    stock = pyte.Screen(20, 4)
    pyte.Stream(stock).feed(text)
    assert rows(fed(text)) == [row.rstrip() for row in stock.display]


def test_bytes_are_decoded_across_cuts() -> None:
    screen = Screen(20, 2)
    stream = ByteStream(screen)
    for byte in "é日\x1b]2;tité\x07".encode() + b"\xff.":
        stream.feed(bytes([byte]))
    assert screen.text(0) == "é日\ufffd."
    assert screen.title == "tité"
