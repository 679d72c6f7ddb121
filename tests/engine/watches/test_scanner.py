"""The scanner: each matching line exactly once, however the output is cut, coloured, overwritten or left unfinished."""

import re
import string
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeking import Finds, Output, scan

from engine import Settings

PATTERNS = ("ab", "Ready", "/b+c/", "/^a/", "/ä.$/", "/ERR/i", "c d")
REFERENCE = [re.compile(one) for one in ("ab", "Ready", "b+c", "^a", "ä.$", "(?i)ERR", "c d")]
ENDS = ("\n", "\r\n", "\r", "\x1b[2;1H", "\x1b[A", "\r\r\n")
INVISIBLE = (
    "\x1b[31m",
    "\x1b[0m",
    "\x1b[1;38;5;9m",
    "\x1b[K",
    "\x1b]0;ab\x07",
    "\x1b]8;;http://ab\x1b\\",
    "\x07",
    "\x9b1m",
)
texts = st.one_of(
    st.sampled_from(["ab", "Ready", "abc", "err", "äh", "c d", "a", "b", "c", " ", "日本", "🙂", "Rea", "dy"]),
    st.text("abcRedyä ", max_size=6),
)
tokens = st.lists(st.one_of(texts, st.sampled_from(ENDS), st.sampled_from(INVISIBLE)), max_size=40)
cuts = st.lists(st.integers(0, 400), max_size=25)


def cut(text: str, at: list[int]) -> list[str]:
    places = [0, *sorted(min(place, len(text)) for place in at), len(text)]
    return [text[start:end] for start, end in pairwise(places)]


def expected(written: list[str]) -> list[tuple[int, int, str]]:
    """What is to be found in an output of these tokens, by their meaning alone."""
    found = []
    at, line, start, piece = 0, 0, 0, ""
    for token in [*written, "\n"]:
        at += len(token)
        if token in ENDS:
            if piece:
                for pattern, reference in zip(PATTERNS, REFERENCE, strict=True):
                    if reference.search(piece):
                        found.append((start, line, pattern))
                        break
            line += token.count("\n")
            start, piece = at, ""
        elif token not in INVISIBLE:
            piece += token
    return found


@settings(max_examples=400, deadline=None)
@given(tokens, cuts)
def test_an_output_cut_anywhere_gives_the_hits_that_its_lines_have(written: list[str], at: list[int]) -> None:
    text = "".join(written)
    found = scan(Finds(*PATTERNS), cut(text, at))
    assert [(line, pattern) for _at, line, pattern in found.places] == [
        (line, pattern) for _at, line, pattern in expected(written)
    ]
    assert found.count == len(found.matches)


@settings(max_examples=200, deadline=None)
@given(tokens.filter(lambda written: "\x1b[2;1H" not in written and "\x1b[A" not in written), cuts)
def test_positions_are_where_the_pieces_begin(written: list[str], at: list[int]) -> None:
    text = "".join(written)
    ends = [token for token in written if token in ENDS]
    found = scan(Finds(*PATTERNS), cut(text, at))
    if "\r\r\n" not in ends:
        assert found.places == expected(written)


@settings(max_examples=300, deadline=None)
@given(
    st.text(string.printable + "\x1b\x07\x08\x00\x9b\x9d\x90ä日🙂\ud83d\x85\u2028", max_size=300), cuts, st.booleans()
)
def test_no_output_makes_a_scan_fail(text: str, at: list[int], quiet: bool) -> None:
    finds = Finds("a", "/b/i", "/[^x]/", "/^$/", "/\\s/")
    output = Output(finds, settings=Settings(watch_piece_chars=64))
    for part in cut(text, at):
        output.write(part)
        if quiet:
            output.wait(1)
    output.scanner.finish()
    assert not output.errors
    assert finds.count == len(finds.matches)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.sampled_from(["hit", "miss", "", "a hit here", "\x1b[31mhi\x1b[0mt"]), max_size=60),
    cuts,
    st.integers(0, 3),
)
def test_what_is_only_counted_is_counted_right(lines: list[str], at: list[int], wanted: int) -> None:
    text = "\n".join(lines)
    found = scan(Finds("hit", "/h[i]t/", wanted=wanted), cut(text, at))
    assert found.count == sum(line not in ("miss", "") for line in lines)


def test_large_outputs_are_found_through_in_blocks() -> None:
    lines = [f"line {number} " + ("needle" if number % 701 == 5 else "hay" * (number % 40)) for number in range(40_000)]
    for ending, mark in (("\n", ""), ("\r\n", ""), ("\n", "\x1b[3m")):
        text = ending.join(line.replace("needle", f"nee{mark}dle") for line in lines)
        found = scan(Finds("needle", "/needle$/", "haystack"), cut(text, list(range(0, len(text), 65_500))))
        expected_lines = [number for number in range(40_000) if number % 701 == 5]
        assert [match.line for match in found.matches] == expected_lines
        for match in found.matches:
            assert text[match.at :].startswith(f"line {match.line} nee")


def test_dense_hits_are_all_counted() -> None:
    text = "".join(f"{'ERROR' if number % 3 else 'fine'} {number}\n" for number in range(100_000))
    for patterns in (("ERROR",), ("/ERR[^x]R/",), ("/err/i", "fatal")):
        found = scan(Finds(*patterns, wanted=5), cut(text, list(range(0, len(text), 65_536))))
        assert found.count == sum(number % 3 > 0 for number in range(100_000))


def test_a_prompt_is_found_once_it_is_quiet_and_not_again_with_its_line() -> None:
    finds = Finds("password:")
    output = Output(finds)
    output.write("hello\npass")
    output.wait(0.09)
    output.write("word: ")
    output.wait(0.099)
    assert finds.count == 0
    output.wait(0.002)
    assert finds.places == [(6, 1, "password:")]
    output.wait(10)
    output.write("secret password: again\n")
    output.wait(1)
    assert finds.count == 1
    output.write("password: next\n")
    assert finds.places[1:] == [(39, 2, "password:")]
    assert output.clock.waiting == 0


def test_a_progress_line_is_looked_at_while_it_is_drawn_over_itself() -> None:
    finds = Finds("50%", "100%")
    output = Output(finds)
    for percent in range(0, 101, 10):
        output.write(f"\rprogress {percent}%")
    assert [match.piece for match in finds.matches] == ["progress 50%"]
    output.wait(0.2)
    assert [match.piece for match in finds.matches] == ["progress 50%", "progress 100%"]
    output.write("\r\ndone\r\n")
    assert finds.count == 2


def test_a_screen_that_is_painted_without_lines_is_looked_at_too() -> None:
    finds = Finds("alarm")
    output = Output(finds)
    for number in range(5):
        output.write(f"\x1b[1;1Hload {number}\x1b[5;1H{'alarm' if number in (1, 3) else 'quiet'}")
        output.wait(0.2)
    assert finds.count == 2


@pytest.mark.parametrize("step", [1_000, 65_536, 300_000])
def test_a_long_line_is_searched_in_pieces_that_overlap(step: int) -> None:
    for place in (0, 65_530, 65_536, 120_000, 199_994):
        line = "x" * place + "NEEDLE" + "x" * (200_000 - place - 6)
        text = f"first\n{line}\nNEEDLE\n"
        found = scan(Finds("NEEDLE", "/^x*NEEDLE/", "/XNEED/"), cut(text, list(range(0, len(text), step))))
        assert [(match.line, match.pattern) for match in found.matches] == [(1, "NEEDLE"), (2, "NEEDLE")]


def test_where_a_long_line_is_cut_is_neither_its_start_nor_its_end() -> None:
    found = scan(Finds("/^y/", "/x$/"), ["x" * 70_000, "y" * 70_000, "\n"])
    assert found.count == 0


def test_an_expression_that_would_freeze_others_harms_nobody() -> None:
    text = "a" * 60_000 + "!\n"
    found = scan(Finds("/(a+)+$/"), [text, text, "aaa\n"])
    assert [match.line for match in found.matches] == [2]
    assert not found.slow


def test_what_takes_too_long_is_named() -> None:
    finds = Finds("needle", "/(?:[0-9]{1,40}[a-f]?){1,12}x/")
    output = Output(finds, settings=Settings(watch_regex_seconds=0.0))
    output.write("1" * 60_000 + "\n")
    assert finds.slow == ["/(?:[0-9]{1,40}[a-f]?){1,12}x/"]


def test_who_comes_later_is_told_of_lines_that_end_later() -> None:
    early, late = Finds("b"), Finds("b")
    output = Output(early)
    output.write("b one\nhalf a b")
    output.scanner.add(late)
    output.write(" line\n")
    assert [match.line for match in early.matches] == [0, 1]
    assert [match.line for match in late.matches] == [1]


def test_one_who_fails_costs_the_others_nothing() -> None:
    class Broken(Finds):
        def found(self, count: int, matches: list[object]) -> None:  # type: ignore[override]
            raise RuntimeError("this one is broken")

    broken, good = Broken("x"), Finds("x")
    output = Output(broken, good)
    output.write("x\n")
    output.write("x\n")
    assert good.count == 2
    assert [str(error) for error in output.errors] == ["this one is broken"]


def test_empty_lines_match_only_where_they_are_lines() -> None:
    found = scan(Finds("/^$/"), ["one\r\n\r\ntwo\n\n\r\r\nthree\rfour\r\n"])
    assert [match.line for match in found.matches] == [1, 3, 4]
