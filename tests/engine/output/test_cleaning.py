"""Text in results is what a person would read."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.output.cleaning import clean, last_line
from engine.terminal import Screen, Stream


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("a\r\nb\r\r\n\tc \n", "a\nb\n\tc \n"),
        ("10%\r20%\r", "20%"),
        ("10%\r100%\r\ndone\r\n", "100%\ndone\n"),
        ("abcdef\rXY", "XYcdef"),
        ("abcdef\r\x1b[KXY", "XY"),
        ("abcdef\x1b[2K\x1b[1GXY", "XY"),
        ("abcdef\rXY\x1b[0K", "XY"),
        ("abcdef\b\b\x1b[1K", "     f"),
        ("long line of text\rdone             \r", "done"),
        ("abc\b\bX", "aXc"),
        ("a\b\b\bX", "X"),
        ("password\b\b \b\b", "passwo d"),
        ("日本\rab", "ab本"),
        ("日本\ra", "a 本"),
        ("e\u0301x\ry", "yx"),
        ("\x1b[1;31mred\x1b[0m \x1b(Bx\x1b=\x1b7", "red x"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"),
        ("a\x1bPq\n#0\n\x1b\\b\x1b_G\x1b\\c\x1b^p\x1b\\d\x1bXs\x1b\\e", "abcde"),
        ("a\x9b31mb\x9d0;t\x9cc\x90q\x9cd\x85e", "abcde"),
        ("\x00a\x07\x0b\x0c\x7fb\x0e\x0f", "ab"),
        ("31mnot guessed", "31mnot guessed"),
        ("a\x1b", "a"),
        ("a\x1b[1;3", "a"),
        ("a\x1b]0;tit", "a"),
        ("a\x1bPdata", "a"),
        ("a\x1b]0;lost\nb\x1bPlost\nc", "a\nb\nc"),
        ("", ""),
    ],
)
def test_what_was_overwritten_and_what_is_not_text_is_dropped(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_a_long_line_is_cut_with_a_mark() -> None:
    assert clean("ab\n" + "x" * 25 + "\ncd", max_line=10) == f"ab\n{'x' * 10}… [15 more characters]\ncd"
    assert clean("x" * 4000) == "x" * 4000
    assert clean("x" * 4001) == "x" * 4000 + "… [1 more characters]"
    assert clean("1234567\r" * 9, max_line=7) == "1234567"


PIECES = [
    "a",
    "bc",
    "def",
    " ",
    "\r",
    "\b",
    "\b\b",
    "\n",
    "\x1b[K",
    "\x1b[1K",
    "\x1b[2K",
    "\x1b[G",
    "\x1b[31m",
    "日",
    "é",
    "\x1b]0;t\x07",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_it_reads_as_on_a_terminal(text: str) -> None:
    screen = Screen(200, 40)
    Stream(screen).feed(text.replace("\n", "\r\n"))
    shown = [screen.text(y).rstrip() for y in range(text.count("\n") + 1)]
    assert [line.rstrip() for line in clean(text).split("\n")] == shown


@given(st.text(st.sampled_from("ab\r\n\b\t\x1b[]PK\\02;m\x07\x18\x9b\x90\x9c\x9d日\u0301")))
def test_nothing_but_text_is_left_and_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = clean(text)
    assert all(char >= " " or char in "\n\t" for char in once)
    assert not any("\x7f" <= char <= "\x9f" for char in once)
    assert clean(once) == once


PATHS = [
    "\r",
    "\n",
    "\r\n",
    "\x1b",
    "\x1b]",
    "\x1bP",
    "\x1bP\n",
    "\x90\n",
    "\x9b",
    "\x1b[",
    "\b",
    "a\r",
    "ab\b",
    "\x1b[K",
    "a\x1b[1K",
    "\x1b[31m",
    "\x00",
    "日\r",
    "a",
    "é\n",
]


@pytest.mark.parametrize("piece", PATHS)
def test_200000_characters_of_anything_are_cleaned_in_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    wide = "x" * 100_000 + (piece * 100_000)[:100_000]
    for hostile in (text, wide, "\x1bP" + text, "\x1b]" + text):
        started = time.process_time()
        clean(hostile)
        last_line(hostile)
        assert time.process_time() - started < 5  # measured 1 to 90 ms; quadratic time would take minutes


def test_the_last_line_is_the_last_one_that_is_not_blank() -> None:
    assert last_line("one\ntwo\r\n\x1b[0m\n  \n") == "two"
    assert last_line("x\n10%\r20%\r") == "20%"
    assert last_line("\n \n") == ""
    assert last_line("first\n" + "\n" * 300_000) == "first"
    assert last_line("y" * 500_000, width=10) == "y" * 9 + "…"
