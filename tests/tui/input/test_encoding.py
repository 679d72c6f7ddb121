"""What a program reads for a key is what xterm sends, whichever way the host terminal told of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.input.encoding import KeyModes, encoded
from tui.input.mouse import Deed, MouseModes, MouseReport, reported
from tui.input.paste import pasted
from tui.input.strokes import Mods, Stroke, stroke

NORMAL, APPLICATION = KeyModes(), KeyModes(application_cursor=True, application_keypad=True)


@pytest.mark.parametrize("final", "ABCDHF")
def test_cursor_keys_follow_the_programs_mode_whatever_the_hosts_is(final: str) -> None:
    for raw in (f"\x1b[{final}", f"\x1bO{final}", f"\x1b[1{final}"):
        assert encoded(stroke(raw), NORMAL) == f"\x1b[{final}"
        assert encoded(stroke(raw), APPLICATION) == f"\x1bO{final}"
    for mods in range(2, 9):
        for modes in (NORMAL, APPLICATION):
            assert encoded(stroke(f"\x1b[1;{mods}{final}"), modes) == f"\x1b[1;{mods}{final}"


@pytest.mark.parametrize(
    ("raw", "sent"),
    [
        *[(f"\x1b[{number}~", f"\x1b[{number}~") for number in (2, 3, 5, 6, 15, 17, 18, 19, 20, 21, 23, 24)],
        *[(f"\x1b[{number};6~", f"\x1b[{number};6~") for number in (2, 3, 5, 6, 15, 24)],
        *[(f"\x1b[{number}~", "\x1b[H") for number in (1, 7)],
        *[(f"\x1b[{number}~", "\x1b[F") for number in (4, 8)],
        *zip(("\x1bOP", "\x1b[11~", "\x1b[[A", "\x1b[P"), ["\x1bOP"] * 4, strict=True),
        *zip(("\x1bOR", "\x1b[13~", "\x1b[[C"), ["\x1bOR"] * 3, strict=True),
        ("\x1b[13;2~", "\x1b[1;2R"),
        ("\x1b[1;5S", "\x1b[1;5S"),
        ("\x1b[25~", "\x1b[1;2P"),
        ("\x1b[57376u", "\x1b[1;2P"),
        ("\x1b[57388u", "\x1b[1;5P"),
    ],
)
def test_function_and_editing_keys_of_every_host(raw: str, sent: str) -> None:
    assert encoded(stroke(raw), NORMAL) == sent


@pytest.mark.parametrize(
    ("code", "sent"),
    [
        ("97;;97", "a"), ("97;2;65", "A"), ("0;;233", "é"), ("97;5", "\x01"), ("97;3", "\x1ba"), ("97;4", "\x1bA"),
        ("97;7", "\x1b\x01"), ("97;6", "\x01"), ("32;5", "\x00"), ("91;5", "\x1b"), ("92;5", "\x1c"), ("47;5", "\x1f"),
        ("13", "\r"), ("13;2", "\r"),
        ("13;5", "\r"), ("13;3", "\x1b\r"), ("9", "\t"), ("9;2", "\x1b[Z"), ("27", "\x1b"),
        ("127", "\x7f"), ("127;5", "\x08"), ("127;3", "\x1b\x7f"), ("57441;2", ""), ("57358", ""), ("99;9", ""),
        ("105;5", "\t"), ("109;5", "\r"), ("57414", "\r"), ("57404", "5"), ("97;65", "a"), ("122;69", "\x1a"),
        ("57417", "\x1b[D"), ("57424;5", "\x1b[1;5F"), ("57426", "\x1b[3~"),
    ],
)  # fmt: skip
def test_kittys_way_of_telling_keys_becomes_xterms(code: str, sent: str) -> None:
    assert encoded(stroke(f"\x1b[{code}u"), NORMAL) == sent


def test_the_keypad_has_codes_of_its_own_when_the_program_asks() -> None:
    for number, char in enumerate("0123456789"):
        told = f"\x1b[{57399 + number}u"
        code = f"\x1bO{chr(ord('p') + number)}"
        assert encoded(stroke(told), NORMAL) == char
        assert encoded(stroke(told), APPLICATION) == code
        assert encoded(stroke(code), NORMAL) == char
        assert encoded(stroke(code), APPLICATION) == code
    assert encoded(stroke("\x1bOM"), NORMAL) == "\r"
    assert encoded(stroke("\x1b[57414u"), APPLICATION) == "\x1bOM"


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=1))
def test_characters_and_controls_are_what_they_are(char: str) -> None:
    assert encoded(stroke(char), NORMAL) == char
    assert encoded(stroke("\x1b" + char), NORMAL) == "\x1b" + char


@given(st.characters(min_codepoint=32, max_codepoint=126), st.sampled_from(list(Mods)))
def test_control_makes_what_x_makes_of_it(char: str, mods: Mods) -> None:
    sent = encoded(Stroke(char, mods | Mods.CTRL), NORMAL)
    assert sent.startswith("\x1b") or not mods & Mods.ALT
    if char in "@[\\]^_" or char.isalpha():
        assert sent[-1] == chr(ord(char) & 0x1F)


@given(st.text())
def test_a_paste_cannot_say_that_it_is_over(text: str) -> None:
    for hostile in (
        text,
        f"{text}\x1b[201~rm -rf\r",
        f"\x1b[20\x1b[201~1~{text}",
        f"\x9b201~{text}",
        "\x1b\x1b[201~[201~",
    ):
        sent = pasted(hostile, marked=True)
        assert sent.startswith("\x1b[200~") and sent.endswith("\x1b[201~")
        inside = sent[6:-6]
        assert "\x1b[201~" not in inside and "\x9b201~" not in inside and "\n" not in inside


def test_a_plain_paste_ends_its_lines_as_enter_does() -> None:
    assert pasted("one\r\ntwo\nthree\r", marked=False) == "one\rtwo\rthree\r"


PRESS = MouseReport(Deed.PRESS, 1, 4, 9)


@pytest.mark.parametrize(
    ("report", "modes", "sent"),
    [
        (PRESS, MouseModes(1000, 1006), b"\x1b[<0;5;10M"),
        (PRESS._replace(deed=Deed.RELEASE), MouseModes(1000, 1006), b"\x1b[<0;5;10m"),
        (PRESS._replace(button=3, ctrl=True), MouseModes(1000, 1006), b"\x1b[<18;5;10M"),
        (PRESS, MouseModes(1000), b"\x1b[M %*"),
        (PRESS._replace(deed=Deed.RELEASE, button=3), MouseModes(1000), b"\x1b[M#%*"),
        (PRESS, MouseModes(1000, 1015), b"\x1b[32;5;10M"),
        (PRESS._replace(column=299), MouseModes(1000), b""),
        (PRESS._replace(column=299), MouseModes(1000, 1005), b"\x1b[M \xc5\x8c*"),
        (PRESS, MouseModes(9), b"\x1b[M %*"),
        (PRESS._replace(deed=Deed.RELEASE), MouseModes(9), b""),
        (PRESS._replace(deed=Deed.MOVE), MouseModes(1000, 1006), b""),
        (PRESS._replace(deed=Deed.MOVE), MouseModes(1002, 1006), b"\x1b[<32;5;10M"),
        (PRESS._replace(deed=Deed.MOVE, button=0), MouseModes(1002, 1006), b""),
        (PRESS._replace(deed=Deed.MOVE, button=0), MouseModes(1003, 1006), b"\x1b[<35;5;10M"),
        (PRESS._replace(deed=Deed.WHEEL, button=1), MouseModes(1000, 1006), b"\x1b[<65;5;10M"),
        (PRESS, MouseModes(), b""),
    ],
)
def test_the_mouse_is_told_as_the_program_asked(report: MouseReport, modes: MouseModes, sent: bytes) -> None:
    assert reported(report, modes) == sent
