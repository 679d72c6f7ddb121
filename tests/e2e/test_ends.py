"""How the command line ends: Ctrl-C at any moment is quiet, and nothing is taken apart that still runs (spec 4.4)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

CTRL_C_AT = """
import importlib.abc, signal, sys

class CtrlC(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == {at!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, CtrlC())
"""
BEGINS = "from tui.cli.entry import main\nmain()\n"


def run(code: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE * 2, check=False)


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ("tui.cli.main", ("list",)),
        ("click", ("list",)),
        ("tui.cli.listing", ("list", "--json")),
        ("tui.cli.run", ("run", "--", "true")),
        ("engine.api.host", ("wait-for", "--for", "10m")),
        ("engine.registry.registry", ("goal", "status")),
        ("engine.goals.goals", ("goal", "status")),
        ("engine.api.host", ("goal", "start", "green", "--step", "true")),
        ("mcp", ("mcp",)),
    ],
)
def test_ctrl_c_before_a_verb_has_begun_ends_it_without_a_word(at: str, words: tuple[str, ...]) -> None:
    done = run(CTRL_C_AT.format(at=at) + BEGINS, *words)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_ctrl_c_as_soon_as_a_goal_is_begun_pauses_it(home: Path) -> None:
    says_first = (
        "import signal\nfrom tui.cli import goals\n"
        "def say(*words, **more): signal.raise_signal(signal.SIGINT)\ngoals._Follower.changed = say\n"
    )
    done = run(says_first + BEGINS, "goal", "start", "green", "--step", "sleep 7741")
    assert done.returncode == 130 and "goal resume" in done.stderr, done.stderr
    (kept,) = (json.loads(path.read_text()) for path in (home / "goals").glob("goal_*.json"))
    assert kept["status"] == "paused" and "Ctrl-C" in kept["paused_reason"]


def test_ctrl_c_that_was_ignored_before_we_began_stays_ignored() -> None:
    code = CTRL_C_AT.format(at="click") + BEGINS
    ignoring = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", sys.executable, "-c", code, "--version"]
    done = subprocess.run(ignoring, capture_output=True, text=True, timeout=PATIENCE * 2, check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("jobdeck ")


@pytest.mark.parametrize(
    "words", [("goal", "status", "--json"), ("run", "--", "true"), ("list", "--json"), ("nosuch",)]
)
def test_a_thread_that_is_in_anothers_code_at_the_end_costs_neither_the_exit_code_nor_the_quiet(
    words: tuple[str, ...],
) -> None:
    """Python ends such threads in the midst of C++, which then ends the process by SIGABRT."""
    busy = (
        "import re2, threading\n"
        "def search():\n    while True: re2.compile('a(b|c)*d' * 20).search('abcbcbd' * 1000)\n"
        "for _ in range(2): threading.Thread(target=search, daemon=True).start()\n"
    )
    done = run(busy + BEGINS, *words)
    assert done.returncode == {"goal": 0, "run": 0, "list": 4, "nosuch": 2}[words[0]], done.stderr
    assert "terminate" not in done.stderr and "FATAL" not in done.stderr
