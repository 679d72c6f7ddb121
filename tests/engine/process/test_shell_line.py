"""Compound background lines leave no waiting subshell, and every other line is left alone."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE, wait_until

from engine.process.shell_line import background_safe, detach_compound, parses

SHELLS = [shell for name in ("dash", "bash") if (shell := shutil.which(name))]


@pytest.mark.parametrize(
    ("line", "rewritten"),
    [
        ("A && B &", "A && { B & }"),
        ("A || B &", "A || { B & }"),
        ("A&&B&", "A&&{ B& }"),
        ("A && B || C &", "A && B || { C & }"),
        ("A && B | C &", "A && { B | C & }"),
        ("A && B & C", "A && { B & }; C"),
        ("A && B & C && D &", "A && { B & }; C && { D & }"),
        ("A; B && C & D", "A; B && { C & }; D"),
        ("A && B &\nC || D &\nE", "A && { B & }\nC || { D & }\nE"),
        ("A &&\n  B &", "A &&\n  { B & }"),
        ("A && # why\nB & # so", "A && # why\n{ B & } # so"),
        ("A && B &#so", "A && { B & } #so"),
        ("A && \\\nB \\\n&", "A && \\\n{ B \\\n& }"),
        ("cd x && npm start > log 2>&1 &", "cd x && { npm start > log 2>&1 & }"),
        ("A && B &> log &", "A && { B &> log & }"),
        ("A && (cd x && y &) &", "A && { (cd x && y &) & }"),
        ("A && { x && y & } &", "A && { { x && y & } & }"),
        (
            "A && X=1 B 'a && b &' \"$(c && d &)\" `e && f &` &",
            "A && { X=1 B 'a && b &' \"$(c && d &)\" `e && f &` & }",
        ),
        ("A && cat <<E &\nx && y &\nE\nB && C &", "A && { cat <<E & }\nx && y &\nE\nB && { C & }"),
        ("echo ${x:-'a &'} $# && B &", "echo ${x:-'a &'} $# && { B & }"),
    ],
)
def test_only_the_last_pipeline_of_a_list_goes_to_the_background(line: str, rewritten: str) -> None:
    assert detach_compound(line) == rewritten
    assert detach_compound(rewritten) == rewritten


@pytest.mark.parametrize(
    "line",
    [
        *("cmd &", "cmd & cmd2 &", "A && B", "A & B && C", "A && B; C &", "A | B &", ""),
        *("A && B &> log", "A && B >& log", "A && B 2>&1", "A && B <&3", "A && B 2>&-", "A && B |& C"),
        *("(A && B &)", "{ A && B & }", "A && { B & }", "f() { A && B & }", "echo $(A && B &)", "echo `A && B &`"),
        *(
            "echo 'A && B &'",
            'echo "A && B &"',
            "echo A \\&\\& B \\&",
            "# A && B &",
            "A # && B &",
            "echo ${x:-A && B &}",
        ),
        *("cat <<E\nA && B &\nE", "cat <<-'E F'\nA && B &\n\tE F\n", "cat <<E\nA && B &"),
        *(
            "if A && B & then C; fi",
            "for x in 1; do A && B & done",
            "while A && B & do :; done",
            "case x in x) A && B & ;; esac",
        ),
        *(
            "[[ a && b ]] && c &",
            "A && &",
            "&& B &",
            "A && B & ; C",
            "A && 'B &",
            'A && "B &',
            "A && (B &",
            "A && B) &",
            "A && $'it\\'s' &",
        ),
        "diff <(A && B &) x",
    ],
)
def test_what_is_no_compound_background_is_left_alone(line: str) -> None:
    assert detach_compound(line) == line


WORDS = [
    "echo a",
    "echo b 2>&1",
    "true",
    "false",
    "! true",
    "(echo c && echo d &)",
    "{ echo e; }",
    "echo 'x && y &'",
    "echo $(echo f && echo g)",
]
LINES = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from([" && ", " || ", " & ", "; ", "\n", " &\n", " | ", "&&", "&"])),
    min_size=1,
    max_size=7,
).map(lambda parts: "".join(word + joint for word, joint in parts) + "echo z")
ANYTHING = st.text(st.sampled_from("ab &|;\n'\"\\$`(){}<>#!-E"), max_size=40)


@given(LINES | ANYTHING)
def test_twice_is_once(line: str) -> None:
    once = detach_compound(line)
    assert detach_compound(once) == once


@settings(max_examples=60, deadline=None)
@given(LINES)
def test_a_rewritten_line_says_what_the_line_says(line: str) -> None:
    for shell in SHELLS:
        plain, rewritten = (_said(shell, text) for text in (line, background_safe(line, shell)))
        assert rewritten == plain


@settings(max_examples=60, deadline=None)
@given(ANYTHING)
def test_what_parsed_still_parses(line: str) -> None:
    rewritten = detach_compound(line)
    if rewritten != line and parses(line):
        assert parses(rewritten)


def _said(shell: str, line: str) -> list[bytes]:
    done = subprocess.run(
        [shell, "-c", f"{line}\nwait"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False
    )
    return sorted(done.stdout.split(b"\n"))


def test_a_result_that_does_not_parse_is_not_used() -> None:
    assert parses("a && { b & }")
    assert not parses("a && { b &")
    assert not parses("true", shell="/nonexistent/sh")
    assert background_safe("A && B &") == "A && { B & }"
    assert background_safe("A && B & fi") == "A && B & fi"
    assert background_safe("A && B &", shell="/usr/bin/fish") == "A && B &"


def test_a_hostile_line_takes_linear_time() -> None:
    started = time.process_time()
    for piece in ("(", "{ ", '"$(', "${", "`", "a&", "a&&", "<<E\n", "'", "\\", "a && b & "):
        detach_compound(piece * (60_000 // len(piece)))
    assert time.process_time() - started < 5


@pytest.mark.parametrize("shell", SHELLS)
def test_no_waiting_subshell_holds_the_pipe(shell: str) -> None:
    line = "true && sleep 7342 >/dev/null 2>&1 &"
    child = subprocess.Popen(
        [shell, "-c", background_safe(line, shell)], stdout=subprocess.PIPE, start_new_session=True
    )
    assert child.stdout is not None
    try:
        assert child.wait(PATIENCE) == 0
        assert child.stdout.read() == b""  # the end: with the line as written this would take two hours
        left = _session(child.pid)
        assert len(left) == 1
        # between fork and exec it has the shell's name
        wait_until(lambda: _command(left[0]) == "sleep", what="the background's exec")
    finally:
        child.stdout.close()
        for pid in _session(child.pid):
            os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not _session(child.pid), what="the session to end")


def _session(leader: int) -> list[int]:
    """The living processes of a session."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == leader and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()
