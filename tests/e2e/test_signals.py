"""Hits, waits and goals in a real terminal, with real jobs, by keys alone."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminals import CONSOLE, Terminal
from waiting import wait_until

LONG = "x" * 300
PRINTS = (
    f"read go; for i in $(seq 1 300); do echo line $i {LONG}; done; echo 'ERROR [b]here[/b] {LONG}'; "
    "seq 1000 1300; exec sleep 7711"
)


@pytest.fixture
def stranger() -> Iterator["subprocess.Popen[bytes]"]:
    """A process that is nobody's job."""
    with subprocess.Popen(["sleep", "7712"]) as process:
        yield process
        process.kill()


def dialog_text(terminal: Terminal, *lines: str) -> None:
    """Fill fields from the first on."""
    for number, line in enumerate(lines):
        if number:
            terminal.keys("Tab")
        if line:
            terminal.type(line)


def watch_and_go(terminal: Terminal, pattern: str) -> None:
    """Have the job watched, give it the line that it waits for, and see the first hit."""
    terminal.keys("e")
    terminal.shows("One a line")
    terminal.type(pattern)
    terminal.keys("C-s")
    terminal.loses("One a line")
    terminal.keys("s")
    terminal.shows("a line for its input")
    terminal.keys("Enter")
    terminal.shows("⚑1")


def shows_together(terminal: Terminal, *texts: str) -> None:
    """Wait for one screen with all of these: a screen may be read while it is half painted."""

    def together() -> bool:
        screen = terminal.screen()
        return all(text in screen for text in texts)

    try:
        wait_until(together, what=f"{texts} on one screen")
    except AssertionError:
        raise AssertionError(f"never saw {texts} on one screen:\n{terminal.screen()}") from None


def test_a_hit_appears_live_and_enter_goes_to_its_line_wherever_the_pane_is(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, PRINTS], tmp_path, cols=150, rows=42) as terminal:
        terminal.shows("· pid ")
        watch_and_go(terminal, "ERROR")
        terminal.shows("· pid ")
        screen = terminal.shows("ERROR ERROR [b]here[/b]")
        assert "▶" not in screen
        terminal.keys("Tab", "Tab", "Tab")
        terminal.shows("go to line")
        terminal.keys("Enter")
        shows_together(terminal, "▶ERROR [b]here[/b]", "line 300", "1000")
        # After a reopening, in another width.
        terminal.keys("c")
        terminal.shows("No tab is open")
        terminal.resize(120, 42)
        terminal.keys("Tab", "Tab", "Tab")
        terminal.shows("go to line")
        terminal.keys("Enter")
        shows_together(terminal, "▶ERROR [b]here[/b]", "line 300", "1000")


def test_a_wait_that_is_set_by_keys_runs_its_command_when_it_is_released(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, "read go; exit 0"], tmp_path, cols=140, rows=40) as terminal:
        terminal.shows("· pid ")
        terminal.keys("b")
        terminal.shows("Wait on")
        terminal.keys("Down", "Tab")
        terminal.type("echo then > ran")
        terminal.keys("Enter")
        terminal.loses("Give up after")
        terminal.shows("exit 0")
        terminal.shows("then echo then > ran")
        terminal.keys("s")
        terminal.shows("a line for its input")
        terminal.keys("Enter")
        wait_until((tmp_path / "ran").exists, what="the command to run")
        terminal.shows("✓ on read go")


def test_a_goals_wait_is_on_the_screen_again_after_a_restart_and_released_by_its_own_signal(
    tmp_path: Path, stranger: "subprocess.Popen[bytes]"
) -> None:
    flag = tmp_path / "flag"
    answer = {"verdict": "wait", "wait_on_pid": stranger.pid, "reason": "the other still works"}
    judge = tmp_path / "judge.py"
    judge.write_text(
        "import json, os, sys\njson.load(sys.stdin)\n"
        f"print(json.dumps({{'verdict': 'done', 'reason': 'the flag is up'}} if os.path.exists({str(flag)!r})"
        f" else {json.dumps(answer)}))\n"
    )
    with Terminal(CONSOLE, tmp_path, cols=140, rows=40) as terminal:
        terminal.shows("q quit")
        terminal.keys("C-p")
        terminal.shows("Search for commands")
        terminal.type("New goal")
        terminal.shows("A step and a judge")
        terminal.keys("Enter")
        terminal.shows("Objective")
        dialog_text(terminal, "raise the flag", "true", f"{sys.executable} {judge}")
        terminal.keys("Enter")
        terminal.shows("◷ goal “raise the flag”")
        terminal.shows(f"process {stranger.pid}")
        terminal.shows("judge: wait “t")
        terminal.keys("q")
        terminal.shows("[ended 0]")
    with Terminal(CONSOLE, tmp_path, cols=140, rows=40) as terminal:
        terminal.shows("◷ goal “raise the flag”")
        terminal.shows(f"process {stranger.pid}")
        flag.touch()
        stranger.kill()
        stranger.wait()
        terminal.shows("✓ goal “raise the flag”")
        terminal.keys("Tab", "Tab", "Enter")
        terminal.shows("turn 2 of 20")
        terminal.shows("the flag is up")
        terminal.shows("the other still works")


def test_a_flood_of_hits_leaves_the_keys_answered(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, "read go; yes ERROR [flood]"], tmp_path, cols=140, rows=40) as terminal:
        terminal.shows("· pid ")
        watch_and_go(terminal, "ERROR")
        for _round in range(5):
            terminal.keys("?")
            terminal.shows("Fold waits and hits")
            terminal.keys("Escape")
            terminal.loses("Fold waits and hits")
        terminal.shows("within 15 s")
        terminal.keys("x")
        terminal.shows("⊘ 1 killed")
