"""Agents and batches from the command line: each verb a process, on a host without a screen (spec 4.6)."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_programs import serving
from command_line import jobdeck
from waiting import PATIENCE, wait_until

from engine.wire.short import Short


@pytest.fixture(autouse=True)
def host(tmp_path: Path) -> Iterator[Path]:
    """Its socket."""
    with serving(tmp_path) as (_pid, path):
        yield path


def as_json(*words: str) -> Any:
    return json.loads(jobdeck(*words, "--json").stdout)


def handles(host: Path, batch_id: str) -> Any:
    with Short(host, {"operator": True}) as operator:
        (batch,) = [one for one in operator.ask("agents", {})["batches"] if one["batch_id"] == batch_id]
    return batch["handles"]


def log(host: Path, session_id: str) -> str:
    with Short(host, {"operator": True}) as operator:
        return str(operator.ask("log", {"session_id": session_id})["output"])


def test_a_batch_from_dispatch_to_result(host: Path, tmp_path: Path) -> None:
    go = tmp_path / "go"
    given = jobdeck("delegate", f"wait {go}; say one", "ask colour?", "hang", "fail 3")
    assert given.returncode == 0, given.stderr
    batch_id = given.stdout.strip()
    assert "4 tasks; follow them with\n  tail -f" in given.stderr
    wait_until(
        lambda: [one["status"] for one in handles(host, batch_id)] == ["running", "running", "running", "waiting"]
    )
    two, three = handles(host, batch_id)[1]["subagent_id"], handles(host, batch_id)[2]["subagent_id"]
    assert jobdeck("send", two, "blue").returncode == 0
    assert jobdeck("cancel", three[:9]).stdout == f"ended {three}\n"
    go.touch()
    shown = jobdeck("agents", "--wait", batch_id)
    assert shown.returncode == 0
    said = [line for line in shown.stdout.splitlines() if not line.startswith("    ")]
    assert [line.split()[0] for line in said] == ["✓", "✓", "⊘", "✗"]
    assert "    colour? answered: blue" in shown.stdout and "failed (exit 3)" in shown.stdout
    listed = jobdeck("agents").stdout
    assert batch_id in listed and "standin: " in listed and "4/4" in listed
    assert jobdeck("cancel", "sub_00000000").returncode == 3


def test_a_full_pool_waits_its_turn_and_says_so(host: Path) -> None:
    with Short(host, {"operator": True}) as operator:
        batches = [operator.ask("delegate", {"tasks": ["hang"]})["batch_id"] for _ in range(3)]
        refused = jobdeck("delegate", "--no-queue", "say no")
        assert refused.returncode == 1 and "all 3 slots" in refused.stderr
        words = [sys.executable, "-m", "tui.cli.entry", "delegate", "--wait", "say at last"]
        queued = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert queued.stderr is not None and "waiting for one" in queued.stderr.readline()
        operator.ask("stop", {"batch_id": batches[0]})
        output, _ = queued.communicate(timeout=PATIENCE * 2)
        assert queued.returncode == 0 and "    at last" in output
        for batch_id in batches[1:]:
            operator.ask("stop", {"batch_id": batch_id})


def test_an_agent_that_delegates_waits_for_its_own_children(tmp_path: Path) -> None:
    line = f"{sys.executable} -m tui.cli.entry delegate 'say below'"
    done = jobdeck("delegate", "--wait", f"run {line}")
    assert done.returncode == 0, done.stderr
    assert "✓ 1 sub_" in done.stdout and "below" in done.stdout.replace("say below", "")
    batches = as_json("agents")["batches"]
    nested = [one for one in as_json("agents", "--operator")["batches"] if one["parent"]]
    assert len(nested) == 1 and nested[0]["parent"] == batches[0]["handles"][0]["subagent_id"]
    assert nested[0]["owner"].startswith(batches[0]["owner"] + "/")


def test_a_background_agent(host: Path) -> None:
    started = jobdeck("background", "ask ready?; say over")
    assert started.returncode == 0, started.stderr
    agent = started.stdout.strip()
    assert agent.startswith("bg_")
    wait_until(lambda: "ready?" in log(host, agent))
    assert jobdeck("send", agent, "go").returncode == 0
    waited = jobdeck("wait", agent)
    assert (waited.returncode, waited.stdout) == (0, "ready? answered: go\nover\n")
    hanging = jobdeck("background", "hang").stdout.strip()
    assert jobdeck("stop", hanging).stdout == f"ended {hanging}\n"
    assert as_json("poll", hanging)["completion_reason"] == "killed"
    assert jobdeck("background", "--agent", "nobody", "x").returncode == 1
