"""The doctor names what is wrong and how to mend it (spec 4.4)."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from forbidding import PIDFD_OPEN, without
from terminals import Terminal
from waiting import PATIENCE

from engine.config import Configuration
from engine.config.loading import load
from engine.ownership.supervisor import SCRIPT
from tui.cli.checks import home as home_check
from tui.cli.checks import outside, supervising, terminal

DOCTOR = [sys.executable, "-P", "-m", "tui.cli.main", "doctor"]


def looked(command: list[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    """Its exit code, and what it says of each subject."""
    done = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=PATIENCE
    )
    assert done.stdout, done.stderr
    return done.returncode, {one["subject"]: one for one in json.loads(done.stdout)["checks"]}


def test_where_all_is_well(home: Path) -> None:
    code, said = looked([*DOCTOR, "--json"])
    assert code == 0 and not home.exists(), "it looks, and makes nothing"
    assert {subject for subject, one in said.items() if one["status"] != "good"} <= {
        "Terminal",
        "Descriptors",
        "Agents",
    }
    assert {"Home", "Sockets", "Exits", "Processes", "PTYs", "Shell", "Supervisor"} <= said.keys()
    assert said["Home"]["said"].endswith("made when first needed")


def test_a_home_that_is_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home.write_text("a file")
    code, said = looked([*DOCTOR, "--json"])
    assert code == 1 and said["Home"]["status"] == "bad" and "JOBDECK_HOME" in said["Home"]["mend"]
    home.unlink()
    home.mkdir(0o755)
    (home / "ledger.json.corrupt-20260101T000000").touch()
    there, *others = home_check.look()
    assert there.status == "note" and there.mend == f"chmod 700 {home}"
    assert ["ledger.json.corrupt-" in one.said for one in others].count(True) == 1
    assert list(home.glob(".doctor*")) == []
    monkeypatch.setenv("JOBDECK_HOME", "~nosuchuser/home")
    (unknown,) = home_check.look()
    assert unknown.bad and "no such user" in unknown.said


def test_no_shell_and_few_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHELL", "/nonexistent/shell")
    code, said = looked(["/bin/sh", "-c", 'ulimit -n 200; exec "$@"', "sh", *DOCTOR, "--json"])
    assert code == 1 and "/nonexistent/shell" in said["Shell"]["said"]
    assert said["Descriptors"]["status"] == "note" and "ulimit -n" in said["Descriptors"]["mend"]


@pytest.mark.skipif(sys.platform != "linux", reason="pidfds are Linux's")
def test_where_pidfds_are_forbidden() -> None:
    code, said = looked(without(PIDFD_OPEN, [*DOCTOR, "--json"]))
    assert code == 1 and said["Exits"]["status"] == "bad" and "seccomp" in said["Exits"]["mend"]
    assert said["PTYs"]["status"] == "good"


def test_a_supervisor_that_ends_nobody_is_found_out(tmp_path: Path) -> None:
    assert supervising.look().status == "good"
    idle = tmp_path / "supervisor.sh"
    idle.write_text("while read line; do :; done\n")
    found = supervising.look(idle)
    assert found.status == "bad" and "/bin/sh" in found.mend


def test_a_supervisor_on_a_slow_machine_is_waited_for(tmp_path: Path) -> None:
    slow = tmp_path / "supervisor.sh"
    slow.write_text(f'sleep 4\nexec /bin/sh {SCRIPT} "$@"\n')
    assert supervising.look(slow).status == "good"


def test_people_are_told_by_signs_and_a_way_to_mend(tmp_path: Path) -> None:
    with Terminal(DOCTOR, tmp_path, cols=150) as shown:
        screen = shown.shows("[ended 0]")
        assert "Leases:" in screen
        assert "✓ Supervisor" in screen and "Nothing is left behind" in screen
        assert "! Terminal" in screen and "inside tmux" in screen and "→ 'set -g set-clipboard on'" in screen


@pytest.mark.parametrize(
    ("env", "size", "encoding", "status", "mend"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, (120, 40), "utf-8", "good", ""),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, (120, 40), "utf-8", "good", ""),
        ({"TERM": "xterm-256color"}, (120, 40), "utf-8", "note", "COLORTERM"),
        ({"TERM": "dumb"}, (120, 40), "utf-8", "bad", "TERM"),
        ({}, (120, 40), "utf-8", "bad", "TERM"),
        ({"TERM": "linux", "COLORTERM": "truecolor"}, (120, 40), "utf-8", "note", "JOBDECK_ASCII"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, (120, 40), "ascii", "note", "LANG"),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, (30, 40), "utf-8", "note", "60×12"),
        ({"TERM": "screen-256color", "COLORTERM": "truecolor"}, (120, 40), "utf-8", "note", "tmux"),
        ({"TERM": "xterm"}, None, "utf-8", "note", "ask in the one"),
    ],
)
def test_terminals(env: dict[str, str], size: tuple[int, int] | None, encoding: str, status: str, mend: str) -> None:
    found = terminal.look(env, size, encoding)
    assert found[-1].status == status and mend in found[-1].mend


def test_the_ways_out_and_what_holds_them_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quiet = {one.subject: one for one in outside.look(Configuration(), {"TERM": "xterm-kitty"})}
    assert [one.status for one in quiet.values()] == ["good", "good"]
    assert "by OSC 9; notifications_terminal is off" in quiet["Notices"].said
    (tmp_path / "jobdeck.toml").write_text(
        '[settings]\nnotifications_terminal = "auto"\nnotifications_desktop = true\non_exit = ["./there.sh"]\n'
        '[jobs.a]\ncommand = "true"\non_hit = ["./nowhere.sh"]\n'
    )
    (tmp_path / "there.sh").write_text("#!/bin/sh\n")
    (tmp_path / "there.sh").chmod(0o755)
    loud = outside.look(load(), {"TERM": "linux", "PATH": "/nowhere"})
    assert [(one.subject, one.status) for one in loud] == [
        ("Notices", "note"), ("Desktop", "note"), ("Hooks", "note"), ("Hooks", "good"),
    ]  # fmt: skip
    assert "libnotify" in loud[1].mend
    assert (loud[2].said, loud[2].mend) == ("on_hit: ./nowhere.sh is not found", "mend it in jobdeck.toml:7")


def test_tmux_that_holds_notifications_back_is_named(tmp_path: Path) -> None:
    (tmp_path / "jobdeck.toml").write_text('[settings]\nnotifications_terminal = "osc9"\n')
    with Terminal(DOCTOR, tmp_path, cols=170) as shown:
        shown.shows("tmux holds the terminal's notifications back")
        shown.shows("allow-passthrough all")
