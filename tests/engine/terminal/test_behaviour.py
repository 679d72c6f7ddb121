"""What each kind of sequence does, case by case; stock pyte is wrong in most of them."""

import pytest

from engine.terminal import Pen, Screen, Stream
from tests.engine.terminal.screens import fed, history, texts

ROWS = [
    # name, stream, the first rows
    ("the main screen comes back", "main\x1b[?1049h\x1b[HALT\x1b[?1049l", ["main"]),
    ("the alternate screen is clear on entry", "main\x1b[?1049h\x1b[2;1Hx", ["", "x"]),
    ("47 keeps one cursor for both screens", "ab\x1b[?47h\x1b[3;1H\x1b[?47lX", ["ab", "", "X"]),
    ("1048 saves and restores the cursor", "ab\x1b[?1048h\x1b[5;5H\x1b[?1048lX", ["abX"]),
    ("1049 restores the cursor", "ab\x1b[?1049h\x1b[5;5H\x1b[?1049lX", ["abX"]),
    ("DECSTBM homes", "abc\x1b[3;4H\x1b[rX", ["Xbc"]),
    ("LF below the region stays there", "\x1b[1;3r\x1b[6;1Hx\nY", ["", "", "", "", "", "xY"][:5]),
    ("CUU above the region does not jump into it", "\x1b[3;5r\x1b[2;1H\x1b[AX", ["X"]),
    ("CUD ends a pending wrap", "a" * 20 + "\x1b[BX", ["a" * 20, " " * 19 + "X"]),
    ("LF ends a pending wrap", "a" * 20 + "\nX", ["a" * 20, " " * 19 + "X"]),
    ("HT keeps a pending wrap", "a" * 20 + "\tX", ["a" * 20, "X"]),
    ("EL under a pending wrap spares the character", "a" * 20 + "\x1b[KX", ["a" * 20, "X"]),
    ("CSI > 4 ; 1 m is no SGR", "\x1b[>4;1mX", ["X"]),
    ("private CSI of any kind vanishes", "\x1b[?4m\x1b[?1;1H\x1b[<u\x1b[=c\x1b[>1uX", ["X"]),
    ("SCOSC and SCORC", "ab\x1b[scd\x1b[uX", ["abXd"]),
    ("a parameter too many does no harm", "\n\n\x1b[1;2AX", ["", "X"]),
    ("ED of an unknown kind does nothing", "abc\x1b[22JX", ["abcX"]),
    ("ED 3 clears the scrollback only", "a\r\n" * 10 + "keep\x1b[3J", ["a", "a", "a", "a", "a", "keep"]),
    ("REP", "x\x1b[4bY", ["xxxxxY"]),
    ("REP only follows a character", "x\x1b[m\x1b[4bY", ["xY"]),
    ("SU", "a\r\nb\r\nc\x1b[S", ["b", "c"]),
    ("SD", "a\r\nb\x1b[T", ["", "a", "b"]),
    ("CBT", "\t\tab\x1b[ZX", [" " * 16 + "Xb"]),
    ("CHT", "\x1b[2IX", [" " * 16 + "X"]),
    ("HTS and TBC", "\x1b[3g\x1b[5G\x1bH\r\tX", ["    X"]),
    ("ICH", "abcdef\x1b[1;3H\x1b[2@", ["ab  cdef"]),
    ("DCH", "abcdef\x1b[1;2H\x1b[2P", ["adef"]),
    ("ECH", "abcdef\x1b[1;2H\x1b[2X", ["a  def"]),
    ("IL moves to the first column", "ab\r\ncd\x1b[LX", ["ab", "X", "cd"]),
    ("DL over rows that were never touched", "ab\x1b[H\x1b[M", [""]),
    ("IRM", "abc\x1b[1;1H\x1b[4hXY\x1b[4l", ["XYabc"]),
    ("DECAWM off overwrites the last column", "\x1b[?7l" + "a" * 25 + "b", ["a" * 19 + "b", ""]),
    ("a wrap pends without DECAWM too, until it is set", "\x1b[?7l" + "a" * 25 + "b\x1b[?7hX", ["a" * 19 + "b", "X"]),
    ("EL without DECAWM erases the last column", "\x1b[?7l" + "a" * 25 + "\x1b[K", ["a" * 19]),
    ("1049 keeps a pending wrap", "a" * 20 + "\x1b[?1049hxyz\x1b[?1049lX", ["a" * 20, "X"]),
    ("REP of a cluster", "e\u0301\x1b[2bX", ["éééX"]),
    ("zeros that lead", "\x1b[00000000000000000003;0000000000000000005HX", ["", "", "    X"]),
    ("HPB and VPB", "\x1b[5;10H\x1b[3jX\x1b[2kY", ["", "", " " * 7 + "Y", "", " " * 6 + "X"]),
    ("DECOM addresses within the region", "\x1b[2;4r\x1b[?6h\x1b[HX\x1b[9;9HY", ["", "X", "", " " * 8 + "Y"]),
    ("side margins", "\x1b[?69h\x1b[3;6s\x1b[1;3Habcdefg", ["  abcd", "  efg"]),
    ("DECIC and DECDC", "abcdef\x1b[1;2H\x1b[2'}\x1b[1;1H\x1b['~", ["  bcdef"]),
    ("SL and SR", "abcdef\x1b[2 @\x1b[1 A", [" cdef"]),
    ("DECSCA spares from selective erase", 'a\x1b[1"qb\x1b[0"qc\x1b[?2J', [" b"]),
    ("double width halves the line", "\x1b#6" + "a" * 12, ["a" * 10, "aa"]),
    ("DECALN", "\x1b#8", ["E" * 20] * 6),
    ("line drawing by G0", "\x1b(0lqk\x1b(Bq", ["┌─┐q"]),
    ("line drawing by SO and SI", "\x1b)0\x0eqx\x0fq", ["─│q"]),
    ("NEL", "ab\x1bEc", ["ab", "c"]),
    ("C1 NEL", "a\u0085b", ["a", "b"]),
    ("C1 CSI", "a\u009b1;5Hb", ["a   b"]),
    ("DECRC can be repeated", "ab\x1b7cd\x1b8\x1b8X", ["abXd"]),
    ("DECSTR keeps the picture", "\x1b[1mab\x1b[2;3r\x1b[!p\x1b[1;3HX", ["abX"]),
    ("RIS", "\x1b[?1049hab\x1b[5;5H\x1bcX", ["X"]),
    ("CAN calls a CSI off", "\x1b[3\x18X", ["X"]),
    ("ESC within a CSI begins anew", "\x1b[3\x1b[1;5HX", ["    X"]),
    ("controls within a CSI take effect", "a\x1b[1\nCX", ["a", "  X"]),
    (
        "DCS, APC, PM and SOS vanish",
        "\x1bP+q544e\x1b\\A\x1b_Gabc\x1b\\B\x1b^pm\x1b\\C\x1bXs\x1b\\D",
        ["ABCD"],
    ),
    ("OSC of any kind vanish", "\x1b]52;c;aGk=\x07\x1b]133;A\x07\x1b]9;4;1;50\x1b\\\x1b]1337;x\x07X", ["X"]),
    ("an OSC cut off by a sequence", "\x1b]0;abc\x1b[1;3HX", ["  X"]),
    ("ESC with intermediates", "\x1b F\x1b%G\x1b*0X", ["X"]),
    ("markup is text", "[red]x[/]", ["[red]x[/]"]),
    ("reverse wrap", "\x1b[?45h" + "a" * 21 + "\x08\x08\x08X", ["a" * 18 + "Xa", "a"]),
    ("huge counts", "a\x1b[99999999L\x1b[99999999@\x1b[99999999bX", ["X", ""]),
    ("window operations", "\x1b[22;0;0t\x1b[18t\x1b[23tX", ["X"]),
    ("rectangles", "\x1b[65;1;1;2;3$x\x1b[1;2;1;2$z", ["A A", "AAA"]),
]


@pytest.mark.parametrize(("data", "rows"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_sequence(data: str, rows: list[str]) -> None:
    assert texts(fed(data))[: len(rows)] == rows


PENS = [
    ("38:2::255:0:0", Pen(fg="ff0000")),
    ("38:2:1:2:3", Pen(fg="010203")),
    ("38:5:196", Pen(fg="ff0000")),
    ("38;2;1;2;3;1", Pen(fg="010203", bold=True)),
    ("0000000000000000000001", Pen(bold=True)),
    ("48;2;1;2;3", Pen(bg="010203")),
    ("38;5;1", Pen(fg="red")),
    ("48;5;9", Pen(bg="brightred")),
    ("38;5;300", Pen()),
    ("38;5", Pen()),
    ("105", Pen(bg="brightmagenta")),
    ("4:3", Pen(underscore=True, underline_style=3)),
    ("4:0", Pen()),
    ("21", Pen(underscore=True, underline_style=2)),
    ("4", Pen(underscore=True, underline_style=1)),
    ("58;2;1;5;7", Pen(underline_color="010507")),
    ("58:5:9", Pen(underline_color="brightred")),
    ("2;8;53", Pen(faint=True, conceal=True, overline=True)),
    ("1;3;5;7;9", Pen(bold=True, italics=True, blink=True, reverse=True, strikethrough=True)),
    ("1;2;22", Pen()),
    ("31;;1", Pen(bold=True)),
    ("999", Pen()),
]


@pytest.mark.parametrize(("params", "pen"), PENS)
def test_sgr(params: str, pen: Pen) -> None:
    screen = fed(f"\x1b[{params}mX")
    assert screen.runs(0) == [("X", pen)]
    assert screen.runs(0)[0][1] is pen


def test_a_pen_is_immutable_and_one() -> None:
    import copy
    import pickle

    pen = Pen(fg="red", link="http://x")
    with pytest.raises(AttributeError):
        pen.fg = "blue"
    assert Pen(fg="red", link="http://x") is pen
    assert copy.deepcopy(pen) is pen
    assert pickle.loads(pickle.dumps(pen)) is pen
    assert pen.replace(link="") is Pen(fg="red")
    assert repr(pen) == "Pen(fg='red', link='http://x')"
    assert len({pen, Pen(fg="red", link="http://x")}) == 1


def test_erasing_takes_the_background_and_nothing_else() -> None:
    screen = fed("\x1b[44;4mab\x1b[K\x1b[2;1H\x1b[J\x1b[6;1H\n")
    assert screen.buffer[0][5].bg == "blue"
    assert not screen.buffer[0][5].underscore
    assert screen.buffer[3][3].bg == "blue"
    assert screen.buffer[5][3].bg == "blue"


def test_the_alternate_screen_and_regions_feed_no_scrollback() -> None:
    assert history(fed("\x1b[?1049h" + "a\r\n" * 20 + "\x1b[?1049l")) == []
    assert history(fed("\x1b[2;4r\x1b[4;1H" + "a\r\n" * 9)) == []
    assert history(fed("\x1b[1;4r\x1b[4;1H" + "a\r\n" * 9)) != []


def test_a_link_is_on_its_cells_only_and_survives_sgr_0() -> None:
    screen = fed("\x1b]8;id=1;http://x\x1b\\a\x1b[0mb\x1b]8;;\x1b\\c\x1b]8;;http://\x01y\x07d")
    assert [screen.buffer[0][x].link for x in range(4)] == ["http://x", "http://x", "", ""]


def test_titles_are_kept_without_controls_and_bounded() -> None:
    screen = fed("\x1b]2;a\x01b\u202ec\x07")
    assert screen.title == "abc"
    assert len(fed("\x1b]0;" + "x" * 5000 + "\x07").title) == 1024


def test_state_is_told() -> None:
    screen = fed("\x07\x07\x1b[?2004h\x1b[?1h\x1b[?1002h\x1b[?2026h\x1b[?25l\x1b[5 q\x1b=\x1b]4;1;rgb:12/34/56\x07")
    assert screen.bells == 2
    assert (screen.bracketed_paste, screen.application_cursor, screen.mouse) == (True, True, 1002)
    assert screen.synchronized
    assert (screen.cursor.hidden, screen.cursor.shape, screen.cursor.blinking) == (True, "bar", True)
    assert screen.keypad
    assert screen.palette == {1: "123456"}
    Stream(screen).feed("\x1b[?2026l\x1b[?25h")
    assert not screen.synchronized
    assert not screen.cursor.hidden


def test_reverse_video_turns_what_is_read() -> None:
    screen = fed("a\x1b[7mb\x1b[?5h")
    assert screen.runs(0) == [("a", Pen(reverse=True)), ("b", Pen())]


ANSWERS = [
    ("\x1b[c", "\x1b[?62;22c"),
    ("\x1b[>c", "\x1b[>1;10;0c"),
    ("\x1b[5n", "\x1b[0n"),
    ("\x1b[3;7H\x1b[6n", "\x1b[3;7R"),
    ("\x1b[2;4r\x1b[?6h\x1b[2;2H\x1b[6n", "\x1b[2;2R"),
    ("a" * 20 + "\x1b[6n", "\x1b[1;20R"),
    ("\x1b[?2004h\x1b[?2004$p", "\x1b[?2004;1$y"),
    ("\x1b[?2026$p", "\x1b[?2026;2$y"),
    ("\x1b[?7777$p", "\x1b[?7777;0$y"),
    ("\x1b[4$p", "\x1b[4;2$y"),
    ("\x1b[18t", "\x1b[8;6;20t"),
    ("\x1b]10;?\x07", "\x1b]10;rgb:d0d0/d0d0/d0d0\x07"),
    ("\x1b]11;#102030\x07\x1b]11;?\x1b\\", "\x1b]11;rgb:1010/2020/3030\x1b\\"),
    ("\x1b]4;1;?\x07", "\x1b]4;1;rgb:cdcd/0000/0000\x07"),
    ("\x1b[1;38;2;1;2;3m\x1bP$qm\x1b\\", "\x1bP1$r0;1;38;2;1;2;3m\x1b\\"),
    ("\x1bP$qx\x1b\\", "\x1bP0$r\x1b\\"),
    ("\x1b[>q", "\x1bP>|jobdeck\x1b\\"),
    ("\x1b[?2027$p", "\x1b[?2027;3$y"),
    ("\x1b[5 q\x1bP$q q\x1b\\", "\x1bP1$r5 q\x1b\\"),
]


@pytest.mark.parametrize(("question", "answer"), ANSWERS)
def test_answers_are_true(question: str, answer: str) -> None:
    said: list[str] = []

    class Asked(Screen):
        def write_process_input(self, data: str) -> None:
            said.append(data)

    Stream(Asked(20, 6)).feed(question)
    assert said == [answer]


def test_a_handler_that_fails_loses_nothing_and_is_told() -> None:
    class Broken(Screen):
        def bell(self, *_: object) -> None:
            raise ValueError("no bell")

    screen = Broken(20, 3)
    Stream(screen).feed("a\x07b\x07c")
    assert screen.text(0) == "abc"
    assert list(screen.failures) == ["ValueError: no bell"] * 2


def test_dirty_rows_are_those_that_changed() -> None:
    screen = fed("")
    stream = Stream(screen)
    screen.dirty.clear()
    stream.feed("\x1b[3;1Hx")
    assert screen.dirty == {2}
    screen.dirty.clear()
    stream.feed("\x1b[2;4r\x1b[4;1H\n")
    assert screen.dirty == {1, 2, 3}
    screen.dirty.clear()
    stream.feed("\x1b[5;1H\x1b[7m\x1b[1;1H")
    assert screen.dirty == set()
