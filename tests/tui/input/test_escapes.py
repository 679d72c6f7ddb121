"""Escapes say what can't be typed; a wrong one is told and nothing is guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.input.escapes import BadEscape, escaped, meant


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        (r"\x03", b"\x03"), (r"a\tb\r\n", b"a\tb\r\n"), (r"\e[A\E[B", b"\x1b[A\x1b[B"), (r"\u0041\u00e4", b"A\xc3\xa4"),
        (r"\U0001F600", b"\xf0\x9f\x98\x80"), (r"\\x03", rb"\x03"), (r"\033[5n\0", b"\x1b[5n\x00"),
        (r"\xff\x80", b"\xff\x80"),
        ("plain ä", b"plain \xc3\xa4"), ("", b""), (r"\a\b\f\v", b"\a\b\f\v"),
    ],
)  # fmt: skip
def test_escapes_become_the_bytes_they_mean(typed: str, sent: bytes) -> None:
    assert meant(typed).encode("utf-8", "surrogateescape") == sent


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        (r"a\q", r"\q is no escape"),
        (r"\x4", r"\x wants 2 hex digits"),
        (r"\u12", r"\u wants 4 hex digits"),
        (r"\U00110000", "is no character"),
        (r"\ud800", "is no character"),
        ("end\\", "lone backslash"),
        (r"\9", r"\9 is no escape"),
    ],
)
def test_a_wrong_escape_is_told(typed: str, says: str) -> None:
    with pytest.raises(BadEscape) as error:
        meant(typed)
    assert says in str(error.value)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_escaped_is_meant_again_and_stands_on_one_line(text: str) -> None:
    assert meant(escaped(text)) == text
    assert "\n" not in escaped(text) and "\r" not in escaped(text)
