"""A program that asks its terminal gets its answer, pane or not."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.output.questions import Responder

ASKED = {
    "\x1b[5n": "\x1b[0n",
    "\x1b[c": "\x1b[?62;22c",
    "\x1b[0c": "\x1b[?62;22c",
    "\x1b[>c": "\x1b[>1;10;0c",
    "\x1b[>0c": "\x1b[>1;10;0c",
    "\x1b[18t": "\x1b[8;30;120t",
    "\x9b5n": "\x1b[0n",
    "\x1b[\r5n": "\x1b[0n",
}
SNIPPETS = [
    *ASKED,
    "text é",
    "\x1b",
    "\x1b[",
    "\x1b[6n",
    "\x1b[1;31m",
    "\x1b]0;t\x07",
    "\x1b]0;",
    "\x1bP+q",
    "\x1b\\",
    "\x07",
    "\x18",
    "\x1b[?25l",
]


def answers(*texts: str) -> str:
    responder = Responder()
    return "".join(responder.feed(text, 120, 30) for text in texts)


@pytest.mark.parametrize(("question", "answer"), ASKED.items())
def test_each_question_is_answered_once(question: str, answer: str) -> None:
    assert answers(f"before\x1b[1m{question}after") == answer
    assert answers(*question, "after", "\x1b[m") == answer


@pytest.mark.parametrize(
    "text",
    [
        "\x1b]0;\x9c5n",
        "\x1b[6n",
        "\x1b[?c",
        "\x1b[1c",
        "\x1b[=c",
        "\x1b[?5n",
        "\x1b[8;3;4t",
        "[5n",
        "\x1b[\x185n",
        "\x1bP[5n\x1b\\",
        "\x1b]0;[c\x07",
    ],
)
def test_what_is_no_question_gets_no_answer(text: str) -> None:
    assert answers(text) == ""


def test_nothing_inside_a_string_is_a_question() -> None:
    for start in ("\x1b]2;", "\x1bP", "\x1b_", "\x1b^", "\x1bX"):
        assert answers(f"{start}a[5n[c", "[18t\x1b", "\\") == ""
        assert answers(f"{start}a", "b\x1b\\", "\x1b[5n") == "\x1b[0n"


@given(st.lists(st.sampled_from(SNIPPETS), max_size=20).map("".join), st.integers(1, 7))
def test_any_cut_gives_the_same_answers(text: str, size: int) -> None:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert answers(*pieces) == answers(text)


@pytest.mark.parametrize("start", ["\x1b]0;", "\x1bP", "\x1b["])
def test_a_sequence_without_end_does_not_grow(start: str) -> None:
    responder = Responder()
    responder.feed(start, 80, 24)
    for _ in range(30):
        responder.feed("1" * 999, 80, 24)
    assert len(responder._tail) <= 4096


@pytest.mark.parametrize(
    "text",
    [
        "log line é\r\n" * 80_000,
        "\x1b[32mok\x1b[0m line\r\n" * 50_000,
        *(c * 100_000 for c in ("\x1b", "\x1b]", "\x1b[", "\x9b")),
    ],
)
def test_a_megabyte_is_scanned_at_once(text: str) -> None:
    started = time.process_time()
    answers(text)
    assert time.process_time() - started < 5
