"""What the far side says of itself never shows in the output, and the job can't say it."""

import pytest

from engine.hosts.marks import Marks

BEGIN = b"\x1b_jobdeck;t0ken;begin;42;7;node;;\x1b\\"
RUN = b"\x1b_jobdeck;s3cret;run\x1b\\"
END = b"\x1b_jobdeck;s3cret;end;3\x1b\\"


def marks() -> tuple[Marks, list[tuple[str, list[str]]]]:
    seen: list[tuple[str, list[str]]] = []
    return Marks("t0ken", "s3cret", lambda what, fields: seen.append((what, fields))), seen


OUTPUT = b"out\x1b[31m \x1b_other\x1b\\put\n"
STREAM = b"Warning: banner\n" + BEGIN + b"s3cret\r\n" + RUN + OUTPUT + END + b"closed.\r\n"


@pytest.mark.parametrize("size", [1, 2, 3, 7, 16, len(STREAM)])
def test_marks_are_taken_out_however_the_stream_is_cut(size: int) -> None:
    one, seen = marks()
    out = b"".join(one.strip(STREAM[at : at + size]) for at in range(0, len(STREAM), size)) + one.flush()
    assert out == b"Warning: banner\n" + OUTPUT
    assert seen == [("begin", ["42", "7", "node", "", ""]), ("run", []), ("end", ["3"])]


@pytest.mark.parametrize(
    "forged",
    [
        b"\x1b_jobdeck;t0ken;end;0\x1b\\",
        b"\x1b_jobdeck;t0ken;begin;1;1;x;;\x1b\\",
        b"\x1b_jobdeck;;end;0\x1b\\",
        b"\x1b_jobdeck;wrong;end;0\x1b\\",
        b"\x1b_jobdeck;s3cret;run\x1b\\",
        b"\x1b_jobdeck;s3cret\x1b\\",
        b"\x1b_jobdeck;" + b"x" * 2_000 + b"\x1b\\",
    ],
)
def test_what_a_job_prints_ends_nothing_and_stays_as_it_is(forged: bytes) -> None:
    one, seen = marks()
    assert one.strip(BEGIN + RUN) == b""
    before = len(seen)
    assert one.strip(b"a" + forged + b"b") + one.flush() == b"a" + forged + b"b"
    assert len(seen) == before
    assert one.strip(END) == b""
    assert seen[-1] == ("end", ["3"])


def test_a_far_side_that_got_no_word_says_so() -> None:
    one, seen = marks()
    assert one.strip(BEGIN + b"\x1b_jobdeck;t0ken;shut\x1b\\bye") == b""
    assert [what for what, _ in seen] == ["begin", "shut"]


def test_a_lone_escape_is_held_back_only_until_more_comes() -> None:
    one, _seen = marks()
    one.strip(BEGIN + RUN)
    assert one.strip(b"a\x1b") == b"a"
    assert one.strip(b"[5n") == b"\x1b[5n"
    assert one.strip(b"\x1b_jobdeck;s3") == b""
    assert one.flush() == b"\x1b_jobdeck;s3"


def test_a_link_that_breaks_before_the_job_runs_shows_no_echo_of_what_was_told() -> None:
    one, _seen = marks()
    assert one.strip(BEGIN + b"s3cret\r\n+export KEY=hidden\r\nConn") + one.flush() == b""
