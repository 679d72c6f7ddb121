"""What the command line tells of a home whose engines are all gone (spec 3.1, 4.4)."""

import json
import os
from pathlib import Path

from command_line import end_jobs, jobdeck, on_terminal, serve, started
from waiting import wait_until


def test_results_are_read_without_an_engine() -> None:
    with serve():
        mine = started("--name", "mine", "-c", "echo out; printf 'gone\\rkept\\n'; exit 3")
        others = jobdeck("start", "--operator", "--", "true").stdout.strip()
        listed = json.loads(jobdeck("wait", "--json", mine).stdout)
        jobdeck("wait", "--operator", others)
        with_engine = [jobdeck("receipts", *words) for words in ((), ("--json",), (mine,), ("--operator", "--json"))]
        polled = json.loads(jobdeck("poll", "--json", mine).stdout)
    assert json.loads(jobdeck("list", "--json").stdout)["processes"][0]["session_id"] == mine
    told = jobdeck("list")
    assert told.returncode == 0 and mine in told.stdout and others not in told.stdout
    assert "1 more of others" in told.stderr and "no jobdeck runs here" in told.stderr
    assert others in jobdeck("list", "--operator").stdout
    assert json.loads(jobdeck("poll", "--json", mine).stdout) == {**polled, "pid": None}
    waited = jobdeck("wait", "--json", mine)
    assert (waited.returncode, json.loads(waited.stdout)) == (1, listed)
    for words in (("log", mine), ("log", "-f", mine), ("log", mine[:9])):
        assert jobdeck(*words).stdout == "out\nkept\n"
    assert jobdeck("log", others).returncode == 4 and jobdeck("log", "--operator", others).returncode == 0

    without = [jobdeck("receipts", *words) for words in ((), ("--json",), (mine,), ("--operator", "--json"))]
    assert [one.returncode for one in (*with_engine, *without)] == [0] * 8
    assert without[2].stdout == with_engine[2].stdout == "out\nkept\n"
    assert "exit 3" in without[0].stdout and "exit 3" in without[2].stderr
    ids = [{row["session_id"] for row in json.loads(one.stdout)["results"]} for one in (without[1], without[3])]
    assert ids == [{mine}, {mine, others}]
    receipt = json.loads(jobdeck("receipts", "--json", "mine").stdout)
    assert (receipt["id"], receipt["exit_code"], receipt["output"]) == (mine, 3, "out\ngone\rkept\n")
    assert "gone" in jobdeck("receipts", "--raw", mine).stdout
    missing = jobdeck("receipts", "--json", others)
    assert (missing.returncode, json.loads(missing.stdout)["status"]) == (3, "not_found")
    looked_at = on_terminal("receipts")
    assert "\x1b[31mexit 3\x1b[0m" in looked_at, "people see failures in red"
    assert "\x1b" not in on_terminal("receipts", NO_COLOR="1") + without[0].stdout
    assert jobdeck("kill", mine).returncode == 4, "what steers needs an engine"
    foreign = jobdeck("receipts", env={**os.environ, "JOBDECK_TOKEN": "conv_0123~nothing"})
    assert foreign.returncode == 1 and "token" in foreign.stderr


def test_who_lives_on_is_listed_until_somebody_takes_it_over() -> None:
    with serve(ends_jobs=False):
        lives = started("--name", "lives", "--", "sleep", "7921")
    try:
        (row,) = json.loads(jobdeck("list", "--json").stdout)["processes"]
        assert (row["session_id"], row["status"], row["detached"]) == (lives, "running", True)
        assert "running ∞" in jobdeck("list").stdout
        assert jobdeck("poll", lives).returncode == 4
    finally:
        with serve(ends_jobs=False):
            wait_until(lambda: not jobdeck("poll", lives).returncode, what="it to be taken over")
            end_jobs()


def test_an_empty_home_stays_empty(home: Path) -> None:
    assert jobdeck("list", "--json").returncode == 4
    nothing = jobdeck("receipts", "--operator", "--json")
    assert (nothing.returncode, json.loads(nothing.stdout)) == (0, {"results": []})
    assert jobdeck("receipts", "0123").returncode == 3
    left = {path.name for path in home.rglob("*")}
    assert left <= {"conversations.key", "cli-conversation"}
