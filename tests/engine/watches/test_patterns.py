"""Patterns: what every match must hold is never guessed wrongly; a search by it finds what the expression matches."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seeking import Finds, scan

from engine.watches.needle import required_text, spellings
from engine.watches.patterns import parse

atoms = st.sampled_from(
    ["a", "b", "ab", "bca", ".", "[ab]", "[^a]", r"\d", r"\w", r"\.", r"\bc", "c{2}", "^", "$", "K", "k"]
)
quantified = st.tuples(atoms, st.sampled_from(["", "", "", "*", "+", "?", "{1,2}", "*?"])).map(
    lambda pair: (
        f"(?:{pair[0]}){pair[1]}" if len(pair[0]) > 1 and pair[1] and pair[0][0] not in "[\\" else "".join(pair)
    )
)
expressions = st.recursive(
    st.lists(quantified, min_size=1, max_size=4).map("".join),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("|".join),
        st.tuples(inner, st.sampled_from(["", "?", "*", "+"])).map(lambda pair: f"({pair[0]}){pair[1]}"),
        st.tuples(inner, inner).map("".join),
    ),
    max_leaves=4,
)
lines = st.lists(st.text("abcABCkK\u212a.1 ", max_size=12), max_size=12)


def _valid(expression: str) -> bool:
    try:
        re.compile(expression)
        parse(f"/{expression}/")
    except (re.error, ValueError):
        return False
    return True


@settings(max_examples=300, deadline=None)
@given(expressions.filter(_valid), st.booleans(), lines)
def test_a_search_finds_the_lines_that_the_expression_matches(
    expression: str, ignores_case: bool, written: list[str]
) -> None:
    reference = re.compile(expression, re.IGNORECASE if ignores_case else re.ASCII)
    # Python and RE2 disagree on the classes beyond ASCII alone.
    written = [line for line in written if line.isascii() or "\\" not in expression]
    text = "".join(f"{line}\n" for line in written)
    expected = [number for number, line in enumerate(written) if reference.search(line)]
    for pad in ("", "x" * 9_000 + "\n"):  # alone, and over the borders of blocks
        found = scan(Finds(f"/{expression}/{'i' * ignores_case}"), [pad + text])
        shift = pad.count("\n")
        assert [match.line - shift for match in found.matches if match.line >= shift] == expected


@pytest.mark.parametrize(
    ("expression", "required"),
    [
        (r"port \d+", "port "),
        (r"^\s*at .*\.js:\d+", ".js:"),
        (r"warn(ing)?s?: x", "warn"),
        ("colou?r", "colo"),
        ("a|b", ""),
        ("(error)", ""),
        ("(?i)error", ""),
        (r"\x41bc", ""),
        (r"\pLbc", ""),
        (r"ab{2,}c", "a"),
        ("[]x]yz", "yz"),
        (r"a\+b", "a+b"),
        (r"\Qa.b\E", ""),
    ],
)
def test_what_every_match_must_hold(expression: str, required: str) -> None:
    assert required_text(expression) == required


def test_a_text_in_either_case_is_spelled_in_all_ways_or_not_at_all() -> None:
    assert sorted(spellings("ab", ignores_case=True)) == ["AB", "Ab", "aB", "ab"]
    assert spellings("kiss", ignores_case=True) == []
    assert len(spellings("exception", ignores_case=True)) == 16
    assert spellings("Exact", ignores_case=False) == ["Exact"]
