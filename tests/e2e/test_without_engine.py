"""What the command line tells of a home whose engines are all gone (spec 3.1, 4.4)."""

import json
import os
import signal
from pathlib import Path

import psutil
import pytest
from command_line import end_jobs, jobdeck, on_terminal, serve, started, verb
from waiting import wait_until

from tui.cli import reaching


def test_results_are_read_without_an_engine() -> None:
    with serve():
        mine = started("--name", "mine", "-c", "echo out; printf 'gone\\rkept\\n'; exit 3")
        others = verb("start", "--operator", "--", "true").stdout.strip()
        listed = json.loads(verb("wait", "--json", mine).stdout)
        verb("wait", "--operator", others)
        with_engine = [verb("receipts", *words) for words in ((), ("--json",), (mine,), ("--operator", "--json"))]
        polled = json.loads(verb("poll", "--json", mine).stdout)
    assert json.loads(jobdeck("list", "--json").stdout)["processes"][0]["session_id"] == mine
    told = verb("list")
    assert told.exit_code == 0 and mine in told.stdout and others not in told.stdout
    assert "1 more of others" in told.stderr and "no jobdeck runs here" in told.stderr
    assert others in verb("list", "--operator").stdout
    assert json.loads(verb("poll", "--json", mine).stdout) == {**polled, "pid": None}
    waited = verb("wait", "--json", mine)
    assert (waited.exit_code, json.loads(waited.stdout)) == (1, listed)
    for words in (("log", mine), ("log", "-f", mine), ("log", mine[:9])):
        assert verb(*words).stdout == "out\nkept\n"
    assert verb("log", others).exit_code == 4 and verb("log", "--operator", others).exit_code == 0

    without = [verb("receipts", *words) for words in ((), ("--json",), (mine,), ("--operator", "--json"))]
    assert [one.exit_code for one in (*with_engine, *without)] == [0] * 8
    assert without[2].stdout == with_engine[2].stdout == "out\nkept\n"
    assert "exit 3" in without[0].stdout and "exit 3" in without[2].stderr
    ids = [{row["session_id"] for row in json.loads(one.stdout)["results"]} for one in (without[1], without[3])]
    assert ids == [{mine}, {mine, others}]
    receipt = json.loads(verb("receipts", "--json", "mine").stdout)
    assert (receipt["id"], receipt["exit_code"], receipt["output"]) == (mine, 3, "out\ngone\rkept\n")
    assert "gone" in verb("receipts", "--raw", mine).stdout
    missing = verb("receipts", "--json", others)
    assert (missing.exit_code, json.loads(missing.stdout)["status"]) == (3, "not_found")
    looked_at = on_terminal("receipts")
    assert "\x1b[31mexit 3\x1b[0m" in looked_at, "people see failures in red"
    assert "\x1b" not in on_terminal("receipts", NO_COLOR="1") + without[0].stdout
    assert verb("kill", mine).exit_code == 4, "what steers needs an engine"
    foreign = verb("receipts", JOBDECK_TOKEN="conv_0123~nothing")
    assert foreign.exit_code == 1 and "token" in foreign.stderr


def test_who_lives_on_is_listed_until_somebody_takes_it_over() -> None:
    with serve(ends_jobs=False):
        lives = started("--name", "lives", "--", "sleep", "7921")
    try:
        (row,) = json.loads(jobdeck("list", "--json").stdout)["processes"]
        assert (row["session_id"], row["status"], row["detached"]) == (lives, "running", True)
        assert "running ∞" in verb("list").stdout
        assert verb("poll", lives).exit_code == 4
    finally:
        with serve(ends_jobs=False):
            wait_until(lambda: not verb("poll", lives).exit_code, what="it to be taken over")
            end_jobs()


def test_an_empty_home_stays_empty(home: Path) -> None:
    assert jobdeck("list", "--json").returncode == 4
    nothing = verb("receipts", "--operator", "--json")
    assert (nothing.exit_code, json.loads(nothing.stdout)) == (0, {"results": []})
    assert verb("receipts", "0123").exit_code == 3
    left = {path.name for path in home.rglob("*")}
    assert left <= {"conversations.key", "cli-conversation"}


def test_an_engine_that_gives_no_answer_is_not_taken_for_none() -> None:
    with serve() as stopped:
        os.kill(stopped, signal.SIGSTOP)
        wait_until(lambda: psutil.Process(stopped).status() == psutil.STATUS_STOPPED)  # not by when kill returns
        try:
            for reach in (reaching.engines, reaching.engines_or_disk):
                with pytest.raises(reaching.Silent, match=f"kill -CONT {stopped}"):
                    reach(reaching.whom(operator=True), patience=0.05).__enter__()
        finally:
            os.kill(stopped, signal.SIGCONT)
