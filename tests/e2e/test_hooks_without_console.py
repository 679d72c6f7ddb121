"""Hooks are run by the engine that has the job, with nobody at a console, once however many jobdecks there are."""

import json
from pathlib import Path

import pytest
from command_line import serve, started
from waiting import wait_until

from engine import Engine
from engine.config.loading import load


def test_an_engine_without_a_console_runs_the_hooks_of_its_jobs_and_no_other_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = "cat > $$.part && mv $$.part told.$$.json"
    (tmp_path / "jobdeck.toml").write_text(f"[settings]\non_exit = {json.dumps(line)}\n")
    with serve(), Engine(configuration=load(), follows=True, runs_jobs=True):
        first, second = (started("--", "sh", "-c", "echo said; exit 3") for _ in range(2))
        wait_until(lambda: len(list(tmp_path.glob("told.*"))) == 2, what="both hooks")
    told = [json.loads(file.read_bytes()) for file in tmp_path.glob("told.*")]
    assert sorted(one["session_id"] for one in told) == sorted([first, second])
    assert {(one["exit_code"], one["output"]) for one in told} == {(3, "said\n")}
    assert all(one["owner"] for one in told)  # this command line's conversation
