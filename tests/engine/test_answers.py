"""A program that asks its terminal gets a true answer, pane or not, cut or not, in the order it asked (case C14)."""

import re

import pytest
from waiting import wait_until

from engine import Engine, JobSpec
from engine.output.questions import _ANSWERS, Responder
from engine.terminal import Screen, Stream

ASK = """
import os, sys, termios, time, tty
tty.setraw(0)
def ask(*parts, until=1):
    for part in parts:
        os.write(1, part.encode()); time.sleep(0.05 if len(parts) > 1 else 0)
    got = b""
    while got.count(b"!") < until and len(got) < LENGTH:
        got += os.read(0, 100)
    return got
"""


def asked(engine: Engine, script: str, length: int, **how: int) -> bytes:
    """What the program read, printed as hex and a dot, so that nothing else shows and all of it has come."""
    program = f"LENGTH = {length}\n{ASK}\n{script}"
    spec = JobSpec(argv=("python3", "-c", program), pty=True, cols=how.get("cols", 80), rows=how.get("rows", 24))
    session_id = engine.spawn(spec).result().session_id

    def told() -> re.Match[str] | None:
        return re.search(r"HEX:(\w*)\.", str(engine.poll(session_id).result().to_dict()["output_preview"]))

    found = wait_until(told, what="its answer")
    assert found is not None
    return bytes.fromhex(found[1])


def show(question: str) -> str:
    return f"got = ask({question})\nprint('\\r\\nHEX:' + got.hex() + '.')"


def test_the_cursors_place_is_true(engine: Engine) -> None:
    assert asked(engine, show(r"'\x1b[6n'"), 6) == b"\x1b[1;1R"
    assert asked(engine, show(r"'\x1b[2J\x1b[7;20Hxy\x1b[6n'"), 7) == b"\x1b[7;22R"


def test_a_question_split_over_two_reads_is_answered_once(engine: Engine) -> None:
    assert asked(engine, show(r"'ab\x1b[', '6', 'n'"), 6) == b"\x1b[1;3R"


def test_answers_come_in_the_order_of_the_questions(engine: Engine) -> None:
    assert (
        asked(engine, show(r"'\x1b[6n\x1b[c\x1b[5n\x1b[?2004$p'"), 30)
        == (b"\x1b[1;1R\x1b[?62;22c\x1b[0n\x1b[?2004;2$y"[:30])
    )


def test_modes_and_colours_are_told(engine: Engine) -> None:
    assert asked(engine, show(r"'\x1b[?2004h\x1b[?2004$p'"), 11) == b"\x1b[?2004;1$y"
    assert asked(engine, show(r"'\x1b]11;?\x07'"), 24).startswith(b"\x1b]11;rgb:")


def test_the_place_is_true_after_much_output_and_a_resize(engine: Engine) -> None:
    script = r"os.write(1, b'line\r\n' * 300000);" + show(r"'abc\x1b[6n'")
    assert asked(engine, script, 7, cols=50, rows=11) == b"\x1b[11;4R"


def test_questions_a_job_printed_before_are_not_answered_again(engine: Engine) -> None:
    # The first is answered without a screen; making one for the second must not answer the first again.
    script = r"first = ask('\x1b[5n', until=1)" + "\n" + show(r"'\x1b[6n'")
    script = script.replace("LENGTH", "4").replace("first = ask", "LENGTH = 4; first = ask")
    program = "LENGTH = 4\n" + script.replace("got = ask", "LENGTH = 6\ngot = ask")
    assert asked(engine, program, 4) == b"\x1b[1;1R"


@pytest.mark.parametrize("question", sorted(_ANSWERS))
def test_both_ways_of_answering_say_the_same(question: str) -> None:
    said: list[str] = []

    class Telling(Screen):
        def write_process_input(self, data: str) -> None:
            said.append(data)

    Stream(Telling(80, 24)).feed(f"\x1b[{question}")
    assert "".join(said) == Responder().feed(f"\x1b[{question}", 80, 24)
