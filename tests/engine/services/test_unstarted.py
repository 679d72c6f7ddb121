"""Verbs on jobs of the file that have no run: they wait, were never started, or were called off."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from command_line import verb
from file_jobs import Jobs, Run
from waiting import wait_until

from engine.results import Logged, Polled, Refused, Waited
from engine.spec import WaitSpec
from engine.wire.server import Server

TEXT = """
[jobs.db]
command = "read x; echo up; read x; exit 3"
stdin = "pipe"
ready = { line = "up" }
[jobs.web]
command = "read x; exit 4"
stdin = "pipe"
after = ["db"]
autostart = true
[jobs.crash]
command = "exit 1"
restart = "always"
backoff = 1000
autostart = true
[jobs.idle]
command = "true"
[jobs.broken]
command = "true"
env_file = "none.env"
autostart = true
"""


@pytest.fixture
def jobs(run: Run) -> Jobs:
    jobs = run(TEXT)
    jobs.waits("web", "waits for db")
    jobs.waits("crash", "restart 1 in 60 s")
    jobs.until("broken", lambda row: bool(row.start_error))
    return jobs


@contextmanager
def served(jobs: Jobs) -> Iterator[None]:
    with Server(jobs.engine, "console"):
        yield


def test_the_list_tells_them_with_their_reasons(jobs: Jobs) -> None:
    rows = {row.name: row for row in jobs.engine.list().result().processes}
    told = {name: (row.status, row.completion_reason, row.reason) for name, row in rows.items()}
    missing = told.pop("broken")
    assert told == {
        "db": ("running", None, ""),
        "web": ("waiting", None, "waits for db: the line 'up'"),
        "crash": ("exited", "exited", "restart 1 in 60 s"),
        "idle": ("not_started", "not_started", ""),
    }
    assert missing[:2] == ("exited", "failed_start")
    assert "none.env can't be read" in missing[2]


def test_verbs_answer_for_what_has_no_run(jobs: Jobs) -> None:
    engine, web, idle = jobs.engine, jobs.row("web").session_id, jobs.row("idle").session_id
    polled = engine.poll(web).result()
    assert isinstance(polled, Polled)
    assert (polled.status, polled.reason) == ("waiting", "waits for db: the line 'up'")
    logged = engine.log(web).result()
    assert isinstance(logged, Logged)
    assert logged.showing == "no lines: web has not started: it waits for db: the line 'up'"
    waited = engine.wait(web, 0.05).result()
    assert isinstance(waited, Waited)
    assert (waited.status, waited.process_running) == ("timeout", False)
    assert str(waited.timeout_note).startswith("web has not started: it waits for db: the line 'up' after 0.05 s")
    waits = engine.wait_for(WaitSpec(session_id=web))
    for answer in (engine.submit(web, "x"), engine.signal(web, "INT"), engine.close(web), engine.screen(web), waits):
        refusal = answer.result()
        assert isinstance(refusal, Refused)
        assert "web has not started: it waits for db" in refusal.error
    idles = engine.wait(idle, 5).result()
    assert isinstance(idles, Refused)
    assert idles.error == "wait: idle is not started; restart starts it"


def test_a_wait_sees_through_to_the_end_of_the_run_that_comes(jobs: Jobs) -> None:
    engine, web = jobs.engine, jobs.row("web").session_id
    waiting = engine.wait(web, 60)
    engine.submit(jobs.row("db").session_id, "go").result()
    run = jobs.runs("web")
    engine.submit(run.session_id, "go").result()
    waited = waiting.result()
    assert isinstance(waited, Waited)
    assert (waited.status, waited.session_id, waited.exit_code) == ("exited", run.session_id, 4)
    # Its place means its newest run from then on.
    polled = engine.poll(web).result()
    assert isinstance(polled, Polled)
    assert polled.session_id == run.session_id


def test_a_wait_in_vain_ends_with_why(jobs: Jobs) -> None:
    engine, web = jobs.engine, jobs.row("web").session_id
    waiting = engine.wait(web, 60)
    engine.kill(jobs.row("db").session_id).result()
    refusal = waiting.result()
    assert isinstance(refusal, Refused)
    assert refusal.error == "wait: web waits for db, which was stopped: that must be seen to first"
    engine.restart(jobs.row("db").session_id).result()
    waiting = engine.wait(web, 60)
    engine.kill(web).result()
    refusal = waiting.result()
    assert isinstance(refusal, Refused)
    assert refusal.error == "wait: web was stopped; restart starts it"


def test_the_command_line_says_it_and_exits_so(jobs: Jobs) -> None:
    with served(jobs):
        wait_until(lambda: verb("engines").exit_code == 0)
        table = verb("list", "--operator").stdout
        assert "web: waits for db: the line 'up'" in table
        assert "crash: restart 1 in 60 s" in table
        assert "not started" in table
        rows = json.loads(verb("list", "--operator", "--json").stdout)["processes"]
        assert {row["name"]: row.get("reason", "") for row in rows}["web"] == "waits for db: the line 'up'"
        log = verb("log", "--operator", "web")
        assert (log.stdout, log.exit_code) == ("", 0)
        assert "no lines: web has not started: it waits for db" in log.stderr
        follow = verb("log", "--operator", "-f", "web")
        assert (follow.exit_code, "web has not started" in follow.stderr) == (1, True)
        poll = verb("poll", "--operator", "web")
        assert (poll.exit_code, "waiting: waits for db: the line 'up'" in poll.stderr) == (0, True)
        wait = verb("wait", "--operator", "web", "--timeout", "0.1")
        assert (wait.exit_code, "web has not started: it waits for db" in wait.stderr) == (1, True)
        restart = verb("restart", "--operator", "web")
        assert (restart.exit_code, "it starts by itself as soon as it may" in restart.stderr) == (1, True)
        kill = verb("kill", "--operator", "web")
        assert (kill.exit_code, kill.stdout.startswith("called off job_")) == (0, True)
        again = verb("kill", "--operator", "web")
        assert (again.exit_code, again.stdout.startswith("was not to be started: job_")) == (0, True)
        pause = verb("kill", "--operator", "crash")
        assert (pause.exit_code, pause.stdout.startswith("called off proc_")) == (0, True)
        foreign = verb("poll", "web")
        assert foreign.exit_code == 3
        assert "jobdeck poll --operator web" in foreign.stderr
