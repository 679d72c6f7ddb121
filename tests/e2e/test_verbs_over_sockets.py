"""The command line's verbs on a host without a screen, each in a process of its own (spec 4.4)."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import jobdeck, serve, started, verb
from waiting import PATIENCE, wait_until

from engine.events import Snapshot
from engine.wire.address import sockets
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello


@pytest.fixture
def serving() -> Iterator[int]:
    """``jobdeck serve``; its pid."""
    with serve() as pid:
        yield pid


@pytest.mark.usefixtures("serving")
def test_a_job_from_start_to_end() -> None:
    job = started("--stdin", "--name", "echoes", "-c", "while read x; do echo got $x; done; exit 3")
    assert jobdeck("submit", job, "this").returncode == 0
    wait_until(lambda: "got this" in jobdeck("log", job).stdout)
    listed = json.loads(jobdeck("list", "--json").stdout)["processes"]
    assert [(row["session_id"], row["name"], row["status"]) for row in listed] == [(job, "echoes", "running")]
    assert "echoes" in jobdeck("list").stdout
    assert jobdeck("poll", job).stdout == "got this\n"
    assert jobdeck("close", job[:9]).returncode == 0
    waited = jobdeck("wait", "--json", job)
    assert (waited.returncode, json.loads(waited.stdout)["exit_code"]) == (1, 3)
    assert jobdeck("kill", job).returncode == 1


@pytest.mark.usefixtures("serving")
def test_a_log_is_followed_to_the_end(tmp_path: Path) -> None:
    go = tmp_path / "go"
    job = started("-c", f"echo first; until [ -e '{go}' ]; do sleep 0.05; done; seq 1 20000; echo last")
    following = subprocess.Popen(
        [sys.executable, "-m", "tui.cli.main", "log", "-f", job], stdout=subprocess.PIPE, text=True
    )
    assert following.stdout is not None and following.stdout.readline() == "first\n"
    go.touch()
    rest = following.communicate(timeout=PATIENCE * 2)[0]
    assert following.returncode == 0
    assert rest.splitlines() == [*map(str, range(1, 20_001)), "last"]


@pytest.mark.usefixtures("serving")
def test_whose_jobs_are_whose() -> None:
    mine = started("--", "sleep", "7901")
    other = {**os.environ, "JOBDECK_TOKEN": ""}
    operators = jobdeck("start", "--operator", "--", "sleep", "7902").stdout.strip()
    listed = jobdeck("list")
    assert mine in listed.stdout and operators not in listed.stdout and "1 more" in listed.stderr
    assert jobdeck("poll", operators).returncode == 3
    assert operators in jobdeck("list", "--operator").stdout
    assert jobdeck("kill", operators, env=other).returncode == 3
    assert jobdeck("kill-all", "--json").returncode == 0  # what persists is passed by
    assert jobdeck("poll", mine).returncode == 0
    wrong = {**os.environ, "JOBDECK_TOKEN": "conv_0123~nothing"}
    refused = jobdeck("list", env=wrong)
    assert refused.returncode == 1 and "token" in refused.stderr


@pytest.mark.usefixtures("serving")
def test_a_screen_a_signal_and_engines(serving: int) -> None:
    job = started("--pty", "-c", "trap 'echo hup' HUP; printf '\\033[2J\\033[3;3Hhere'; while :; do sleep 0.05; done")
    wait_until(lambda: "  here" in jobdeck("screen", job).stdout)
    assert jobdeck("signal", job, "HUP").returncode == 0
    wait_until(lambda: "hup" in jobdeck("log", job).stdout)
    (engine,) = json.loads(jobdeck("engines", "--json").stdout)["engines"]
    assert (engine["kind"], engine["pid"], engine["running"]) == ("serve", serving, 1)
    assert jobdeck("kill", job).stdout == f"ended {job}\n"


@pytest.mark.usefixtures("serving")
def test_exit_codes_are_the_same_for_people_and_scripts() -> None:
    fails, runs = started("-c", "exit 7"), started("--name", "runs", "--", "sleep", "7903")
    assert jobdeck("wait", fails).returncode == 1

    def codes(*words: str) -> tuple[int, int]:
        return verb(*words).exit_code, verb(*words, "--json").exit_code

    assert codes("poll", runs) == (0, 0) == codes("log", fails)
    assert codes("poll", fails) == codes("wait", fails) == codes("kill", fails) == (1, 1)
    assert codes("wait", runs, "--timeout", "10ms") == codes("signal", runs, "NOPE") == (1, 1)
    assert codes("screen", "nosuch") == codes("close-terminal", "nosuch") == (3, 3)
    assert codes("log", runs, "-n", "0") == codes("poll", " ") == codes("start") == (2, 2)
    assert verb("start", "--engine", "console", "--", "true").exit_code == 4
    already = jobdeck("kill", fails)
    assert already.stderr == f"{fails} has already ended (exit 7)\n"
    left = jobdeck("kill-all")
    assert "1 job is meant to outlive all" in left.stderr


def test_without_an_engine_it_says_what_to_do() -> None:
    done = jobdeck("poll", "proc_0123456789ab")
    assert done.returncode == 4 and "jobdeck serve" in done.stderr
    as_json = jobdeck("list", "--json")
    assert as_json.returncode == 4 and json.loads(as_json.stdout)["status"] == "error"


def waited_for() -> list[str]:
    """What others wait for on the one engine."""
    with RemoteEngine(sockets()[0], Hello(version=1, operator=True)) as engine:
        picture = engine.events().next(PATIENCE)
        assert isinstance(picture, Snapshot)
        return sorted(barrier.on for barrier in picture.barriers)


@pytest.mark.usefixtures("serving")
def test_what_another_engines_job_does_is_waited_for(tmp_path: Path) -> None:
    go = tmp_path / "go"
    line = f"echo starting; until [ -e '{go}' ]; do sleep 0.05; done; echo Application startup; exit 4"
    job = started("-c", line)
    early = jobdeck("wait-for", "--match", job, "starting", "--then", "echo then")
    assert (early.returncode, early.stdout) == (0, "then\n"), "what was printed before counts"
    waiting = subprocess.Popen(
        [sys.executable, "-m", "tui.cli.entry", "wait-for", "--match", job, "startup", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    ends = subprocess.Popen(
        [sys.executable, "-m", "tui.cli.entry", "wait-for", "--exit", job, "--then", "echo $JOBDECK_EXIT_CODE"],
        stdout=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: waited_for() == ["exit", "match"], what="both to wait")
    go.touch()
    told = json.loads(waiting.communicate(timeout=PATIENCE * 2)[0])
    assert told["release"]["outcome"] == "match" and told["barrier"]["session_id"] == job
    assert ends.communicate(timeout=PATIENCE * 2)[0] == "4\n" and ends.returncode == 0
    assert jobdeck("wait-for", "--exit", "proc_0123456789ab").returncode == 3


@pytest.mark.usefixtures("serving")
def test_a_log_that_is_followed_has_no_gap_and_ends_quietly_without_a_reader(tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    job = started("-c", f"i=0; until [ -e '{stop}' ]; do i=$((i+1)); echo $i; done; echo last; read x", "--stdin")
    command = [sys.executable, "-m", "tui.cli.entry", "log", "-f", "-n", "3", job]
    following = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert following.stdout is not None
    lines = [int(following.stdout.readline()) for _ in range(3_000)]
    assert lines == [*range(lines[0], lines[0] + 3_000)]
    following.stdout.close()
    assert following.wait(PATIENCE) == 1
    stop.touch()
    at_the_end = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert at_the_end.stdout is not None
    wait_until(lambda: "last" in jobdeck("log", job).stdout)
    while at_the_end.stdout.readline() != "last\n":
        pass
    at_the_end.send_signal(signal.SIGINT)
    assert at_the_end.communicate(timeout=PATIENCE)[1] == "" and at_the_end.returncode == 130
