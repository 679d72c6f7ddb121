"""A console that loses its terminal keeps its jobs, and the next console finds them (spec 4.8)."""

import os
import signal
from pathlib import Path

import psutil
import pytest
from living import alive, command
from terminals import CONSOLE, Terminal
from waiting import wait_until

TICKS = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.2; done"


@pytest.fixture(autouse=True)
def _keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JOBDECK_ON_HANGUP")


def test_jobs_go_on_without_a_screen_and_the_next_console_shows_them(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, TICKS, "read x; echo got $x; sleep 7961"], tmp_path) as terminal:
        terminal.shows("tick 3")
        lost = terminal.console().pid
        terminal.shows("2 running")
        jobs = [one for one in psutil.Process(lost).children() if "supervisor.sh" not in command(one)]
        assert len(jobs) == 2
        os.kill(lost, signal.SIGHUP)
        with Terminal(CONSOLE, tmp_path, cols=140) as other:
            other.shows("without a terminal")
            other.shows("2 running")
            assert len(alive(jobs)) == 2
            other.keys("j", "Enter")
            other.shows("tick 3")
            other.keys("1", "x")
            other.shows("killed")
            other.keys("q")
            other.shows("[ended 0]")
        assert psutil.pid_exists(lost)
        os.kill(lost, signal.SIGTERM)
        wait_until(lambda: not alive(jobs) and not psutil.pid_exists(lost), what="it to end with its jobs")


def test_without_jobs_it_ends_and_with_the_last_one_it_ends(tmp_path: Path) -> None:
    with Terminal(CONSOLE, tmp_path) as terminal:
        terminal.shows("q quit")
        os.kill(terminal.console().pid, signal.SIGHUP)
        terminal.shows("[ended 129]")
    go = tmp_path / "go"
    with Terminal([*CONSOLE, f"echo up; until [ -e '{go}' ]; do sleep 0.1; done"], tmp_path) as terminal:
        terminal.shows("up")
        lost = terminal.console()
        os.kill(lost.pid, signal.SIGHUP)
        wait_until(lambda: terminal.format("#{alternate_on}") == "0", what="the screen to be given back")
        assert lost.is_running()
        go.touch()
        terminal.shows("[ended 129]")
