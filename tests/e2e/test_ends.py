"""How the command line ends: Ctrl-C at any moment is quiet, and nothing is taken apart that still runs (spec 4.4)."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import jobdeck
from waiting import PATIENCE, wait_until

from engine.wire.address import sockets

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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_ends_a_tool_server_in_order_though_its_client_goes_on(home: Path, number: signal.Signals) -> None:
    pytest.importorskip("mcp")
    words = [sys.executable, "-m", "tui.cli.entry", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdin is not None and server.stdout is not None
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n")
        server.stdin.flush()
        assert "jobdeck" in server.stdout.readline()
        wait_until(sockets, what="its socket")
        server.send_signal(number)
        assert server.wait(PATIENCE) == 0
        assert server.stderr is not None and server.stderr.read() == ""
    assert sockets() == []


def test_a_host_that_was_told_to_ignore_hang_ups_ignores_them() -> None:
    words = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh", sys.executable, "-m", "tui.cli.entry", "serve"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as host:
        assert host.stderr is not None and "jobdeck serves at" in host.stderr.readline()
        host.send_signal(signal.SIGHUP)
        assert jobdeck("list").returncode == 0
        assert host.poll() is None
        host.send_signal(signal.SIGINT)
        assert host.wait(PATIENCE) == 0
