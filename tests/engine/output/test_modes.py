"""The scan that knows the modes and the pen in force without an emulator."""

import random
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.output.modes import ModeScan
from engine.terminal import Screen, Stream

SNIPPETS = [
    *(
        "text",
        "é日",
        "\r\n",
        "\x07",
        "\x0e",
        "\x0f",
        "\x1b",
        "\x1b[",
        "\x1b]",
        "\x18",
        "\x9b1m",
        "\x9d2;c1\x9c",
        "\x1b\\",
    ),
    *(
        "\x1b[31m",
        "\x1b[1;2;38;5;9m",
        "\x1b[4:3m",
        "\x1b[48:2::1:2:3m",
        "\x1b[38;2;4;5;6m",
        "\x1b[m",
        "\x1b[0m",
        "\x1b[0;7m",
    ),
    *(
        "\x1b[22m",
        "\x1b[39;49m",
        "\x1b[24m",
        "\x1b[3\n5m",
        "\x1b[>4;1m",
        "\x1b[?4m",
        "\x1b[38;5m",
        "\x1b[;m",
        "\x1b[53m",
    ),
    *(
        "\x1b[?1h",
        "\x1b[?7l",
        "\x1b[?25l",
        "\x1b[?25h",
        "\x1b[?2004h",
        "\x1b[?1000h",
        "\x1b[?1003;1006h",
        "\x1b[?1000l",
        "\x1b[?6h",
    ),
    *(
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[?47h",
        "\x1b[?47l",
        "\x1b[4h",
        "\x1b[20h",
        "\x1b=",
        "\x1b>",
        "\x1b[2;5r",
        "\x1b[r",
        "\x1b[5;2r",
    ),
    *(
        "\x1b(0",
        "\x1b)0",
        "\x1b(B",
        "\x1b7",
        "\x1b8",
        "\x1b[s",
        "\x1b[u",
        "\x1bc",
        "\x1b[!p",
        "\x1b]0;a title\x07",
        "\x1b]2;b\x1b\\",
    ),
    *(
        "\x1b]8;;http://x\x1b\\",
        "\x1b]8;;\x07",
        "\x1bPdcs\x07\x1b\\",
        "\x1b_apc\x1b\\",
        "\x1b]2;aborted\x1b[1m",
        "\x1b[H\x1b[2J",
    ),
]
STREAMS = st.lists(st.sampled_from(SNIPPETS), max_size=25).map("".join)


def scanned(text: str) -> ModeScan:
    scan = ModeScan()
    scan.feed(text)
    return scan


def state(scan: ModeScan) -> object:
    return scan.prelude(), scan.bracketed_paste, scan.alternate, scan.title


@given(STREAMS, st.lists(st.integers(0, 200), max_size=6))
def test_any_cut_gives_the_same_state(text: str, cuts: list[int]) -> None:
    scan = ModeScan()
    for start, end in pairwise(sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})):
        scan.feed(text[start:end])
    whole = scanned(text)
    assert (state(scan), scan.bells) == (state(whole), whole.bells)


@given(STREAMS)
def test_a_prelude_brings_a_fresh_scan_to_the_same_state(text: str) -> None:
    scan = scanned(text + "\x18")
    assert state(scanned(scan.prelude())) == state(scan)


@given(STREAMS, STREAMS)
def test_a_prelude_gives_what_follows_the_pen_it_would_have_had(before: str, after: str) -> None:
    mark = "\x18\x1b[r\x1b[?6l\x1b[4l\x1b[H\x1b[2JX"
    for text in (_plain(before), _plain(before + after)):
        whole, late = Screen(9, 9), Screen(9, 9)
        Stream(whole).feed(text + mark)
        Stream(late).feed(scanned(text + "\x18").prelude() + mark)
        (late_text, late_pen), (whole_text, pen) = late.runs(0)[0], whole.runs(0)[0]
        assert (late_text[0], late_pen) == (whole_text[0], pen)
        assert late.alternate == whole.alternate
        assert late.cursor.hidden == whole.cursor.hidden


def _plain(text: str) -> str:
    """Without what stock pyte lacks or does differently: restoring twice, DECSTR, SCOSC, C1 strings."""
    for lacking in ("\x1b8", "\x1b7", "\x1b[s", "\x1b[u", "\x1b[!p", "\x1b[?47h", "\x1b[?1049h"):
        text = text.replace(lacking, "")
    return text


def test_a_fresh_terminal_needs_no_prelude() -> None:
    assert ModeScan().prelude() == ""
    assert scanned("plain\r\n\x1b[31mred\x1b[m\x1b[?25l\x1b[?25h\x1b[2;9r\x1b[r").prelude() == ""


@pytest.mark.parametrize(
    ("text", "prelude"),
    [
        ("\x1b[1m\x1b[31m\x1b[4m\x1b[24m", "\x1b[0;1;31m"),
        ("\x1b[38:2::1:2:3;4:3m", "\x1b[0;38;2;1;2;3m\x1b[4:3m"),
        ("\x1b[2;9r\x1b[?1049h\x1b[?25l\x1b[7m", "\x1b[?1049h\x1b[2;9r\x1b[?25l\x1b[0;7m"),
        ("\x1b[31m\x1b[?1049h\x1b[m", "\x1b[0;31m\x1b[?1049h\x1b[0m"),
        ("\x1b)0\x0e", "\x1b(B\x1b)0\x0e"),
        ("\x1b[?1000h\x1b[?1003h\x1b[?1006h\x1b=\x1b[4h", "\x1b[?1006h\x1b[?1003h\x1b[4h\x1b="),
        ("\x1b]0;make\x07", "\x1b]2;make\x1b\\"),
        ("\x1b[?2004h\x1b[31m\x1b[?1049h\x1b]2;t\x07\x1bc", ""),
        ("\x1b[?2004h\x1b[31m\x1b[?7l\x1b[!p", ""),
    ],
)
def test_a_prelude_is_short_and_in_order(text: str, prelude: str) -> None:
    assert scanned(text).prelude() == prelude


def test_the_pen_of_the_main_screen_is_back_when_the_alternate_one_closes() -> None:
    scan = scanned("\x1b[31m\x1b[?1049h\x1b[0;44m")
    for late in (scan.copy(), scanned(scan.prelude())):
        late.feed("\x1b[?1049l")
        assert late.prelude() == "\x1b[0;31m\x1b7"


def test_a_bell_counts_unless_it_ends_a_title() -> None:
    scan = scanned("\x07a\x07\x1b]0;t\x07\x1bPx\x07\x1b\\\x1b[3\x071m\x07")
    assert scan.bells == 4


def test_a_copy_goes_its_own_way() -> None:
    scan = scanned("\x1b[31m\x1b]2;ti")
    twin = scan.copy()
    twin.feed("tle\x07\x1b[1m\x1b[?2004h")
    assert (twin.title, twin.bracketed_paste) == ("title", True)
    assert (scan.title, scan.bracketed_paste, scan.prelude()) == ("", False, "\x1b[0;31m")


@pytest.mark.parametrize("start", ["\x1b]0;", "\x1bP", "\x1b_", "\x1b[", "\x1b]0;\x1b"])
def test_a_sequence_without_end_does_not_grow(start: str) -> None:
    scan = scanned(start)
    for _ in range(30):
        scan.feed("1" * 999)
    assert len(scan._tail) <= 4096


def test_many_different_colours_end_in_the_last_ones() -> None:
    rng = random.Random(1)
    words = ["38;2;{};{};{}", "48;2;{};{};{}", "38;5;{}", "1;48;5;{}", "3{2}", "4{2}", "1", "22", "38;2;{};{}", "0;4"]
    for _ in range(50):
        sgrs = [f"\x1b[{rng.choice(words).format(*(rng.randrange(8) for _ in '123'))}m" for _ in range(400)]
        slow = ModeScan()
        for sgr in sgrs:
            slow.feed(sgr)
        assert dict(scanned("".join(sgrs))._pen) == slow._pen


@pytest.mark.parametrize(
    "text",
    [
        "log line\r\n" * 100_000,
        "\x1b[32mok\x1b[0m \x1b[1mname\x1b[22m line\r\n" * 30_000,
        *(c * 100_000 for c in ("\x1b", "\x1b]", "\x1b[", "\x9b", "\x07")),
    ],
)
def test_a_megabyte_is_scanned_at_once(text: str) -> None:
    started = time.process_time()
    scanned(text)
    assert time.process_time() - started < 5  # of a processor, not of the clock; quadratic, it would be minutes
