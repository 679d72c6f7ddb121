"""Jobs of the file: who waits for whom, and what becomes of those whose dependency fails."""

import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from file_jobs import Run
from waiting import wait_until

from engine.events import JobState
from engine.results import Refused

STAYS = "exec sleep 7391"
WEB_AFTER_DB = f"""
[jobs.db]
command = "read x; echo ready; {STAYS}"
stdin = "pipe"
ready = {{ line = "ready" }}
[jobs.web]
command = "{STAYS}"
after = ["db"]
autostart = true
"""
"""``web`` waits until somebody says something to ``db``."""


def test_jobs_start_in_the_order_in_which_those_they_wait_for_become_ready(run: Run, folder: Path) -> None:
    jobs = run(
        f"""
        [jobs.web]
        command = "echo web >> order; {STAYS}"
        after = ["api", "db"]
        autostart = true
        [jobs.api]
        command = "echo api >> order; read x; echo up and running; {STAYS}"
        stdin = "pipe"
        after = ["db"]
        ready = {{ line = "/up .* running/" }}
        [jobs.db]
        command = "echo db >> order; echo there; {STAYS}"
        ready = {{ line = "there" }}
        [jobs.other]
        command = "echo other >> order"
        """
    )
    api = jobs.runs("api")
    jobs.waits("web", "waits for api: the line '/up .* running/'")
    assert jobs.row("other").label == "not started"
    jobs.engine.submit(api.session_id, "go").result()
    jobs.runs("web")
    wait_until(lambda: (folder / "order").read_text().split() == ["db", "api", "web"])
    assert jobs.row("web").waits == ""


def test_who_is_asked_for_brings_along_those_it_waits_for_if_they_were_never_started(run: Run) -> None:
    jobs = run(
        f"""
        [jobs.web]
        command = "{STAYS}"
        after = ["api"]
        [jobs.api]
        command = "{STAYS}"
        after = ["db"]
        [jobs.db]
        command = "echo there; {STAYS}"
        ready = {{ line = "there" }}
        [jobs.other]
        command = "{STAYS}"
        """
    )
    wait_until(lambda: len(jobs.rows()) == 4)
    jobs.engine.restart(jobs.row("web").session_id).result()
    for name in ("db", "api", "web"):
        jobs.runs(name)
    assert jobs.row("other").label == "not started"


def conditions(port: int) -> list[tuple[str, str]]:
    serve = f"until [ -e go ]; do sleep 0.02; done; exec {sys.executable} -m http.server"
    return [
        (f"port = {port}", f"{serve} {port}"),
        (f'http = "http://127.0.0.1:{port}/"', f"{serve} {port}"),
        ('command = "test -e $MARK"', f"until [ -e go ]; do sleep 0.02; done; touch mark; {STAYS}"),
        ("exit = 3", "until [ -e go ]; do sleep 0.02; done; exit 3"),
        ('line = "it is up"', f"until [ -e go ]; do sleep 0.02; done; echo it is up; {STAYS}"),
    ]


@pytest.mark.parametrize("number", range(5), ids=["port", "http", "command", "exit", "line"])
def test_ready_is_what_the_file_says(run: Run, folder: Path, port: int, number: int) -> None:
    ready, command = conditions(port)[number]
    jobs = run(
        f"""
        [jobs.db]
        command = '''{command}'''
        env = {{ MARK = "mark" }}
        ready = {{ {ready}, every = 0.05 }}
        [jobs.web]
        command = "test -e go && {STAYS}"
        after = ["db"]
        autostart = true
        """
    )
    jobs.waits("web", "waits for db: ")
    (folder / "go").touch()
    jobs.runs("web")
    assert jobs.count("web") == 1


def test_an_address_at_which_something_else_answers_is_looked_at_again(run: Run) -> None:
    answers = [b"SSH-2.0-none\r\n", b"HTTP/1.0 500 not yet\r\n\r\n", b"HTTP/1.0 200 here\r\n\r\n"]
    given: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer() -> None:
            """The last one for good: who looked may not have waited for its answer."""
            with suppress(OSError):
                while True:
                    looking, _ = listener.accept()
                    with looking, suppress(ConnectionError):
                        looking.recv(4096)
                        looking.sendall(answers[min(len(given), 2)])
                        given.append(answers[min(len(given), 2)])

        answering = threading.Thread(target=answer)
        answering.start()
        jobs = run(
            f"""
            [jobs.db]
            command = "{STAYS}"
            ready = {{ http = "http://127.0.0.1:{port}/", every = 0.05 }}
            [jobs.web]
            command = "{STAYS}"
            after = ["db"]
            autostart = true
            """
        )
        try:
            jobs.runs("web")
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            answering.join()
        assert given[:3] == answers


def test_a_dependency_that_fails_tells_who_waits_for_it_and_why_and_its_restart_lets_them_go_on(
    run: Run, folder: Path
) -> None:
    jobs = run(
        f"""
        [jobs.db]
        command = "test -e fixed && {{ echo ready; {STAYS}; }}"
        ready = {{ line = "ready" }}
        [jobs.api]
        command = "{STAYS}"
        after = ["db"]
        [jobs.web]
        command = "{STAYS}"
        after = ["api"]
        autostart = true
        """
    )
    notice = jobs.told("db failed (exit 1): api, web wait for it")
    assert (notice.severity, notice.session_id) == ("error", jobs.row("db").session_id)
    jobs.waits("api", "waits for db, which failed (exit 1)")
    jobs.waits("web", "waits for api, which waits for db, which failed (exit 1)")
    (folder / "fixed").touch()
    jobs.engine.restart(jobs.row("db").session_id).result()
    jobs.runs("web")
    assert [jobs.count(name) for name in ("api", "web")] == [1, 1]


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("exit 0", "ended before it was ready (the line 'ready')"),
        ("no-such-program-here", "failed (exit 127)"),
        (f"{STAYS}", "wasn't ready after 0.1 s (the line 'ready')"),
    ],
)
def test_each_way_to_fail_is_said(run: Run, command: str, why: str) -> None:
    timeout = ", timeout = 0.1" if command == STAYS else ""
    jobs = run(
        f"""
        [jobs.db]
        command = "{command}"
        ready = {{ line = "ready"{timeout} }}
        [jobs.web]
        command = "{STAYS}"
        after = ["db"]
        autostart = true
        """
    )
    jobs.told(f"db {why}: web waits for it")
    assert jobs.row("web").state is JobState.STARTING


def test_a_job_that_waits_is_neither_doubled_nor_wedged_by_restarts(run: Run) -> None:
    jobs = run(WEB_AFTER_DB)
    db = jobs.runs("db")
    waiting = jobs.waits("web", "waits for db")
    asked = [jobs.engine.restart(waiting.session_id) for _ in range(10)]
    for call in asked:
        answer = call.result()
        assert isinstance(answer, Refused)
        assert answer.error == "restart: web waits for db: the line 'ready'; it starts by itself as soon as it may"
    jobs.engine.submit(db.session_id, "go").result()
    jobs.runs("web")
    assert jobs.count("web") == 1


def test_a_waiting_job_that_is_stopped_stays_stopped_until_it_is_started_by_hand(run: Run) -> None:
    jobs = run(WEB_AFTER_DB + f'[jobs.last]\ncommand = "{STAYS}"\nafter = ["db"]\nautostart = true\n')
    db = jobs.runs("db")
    waiting = jobs.waits("web", "waits for db")
    assert jobs.engine.kill(waiting.session_id).result().status == "killed"
    jobs.until("web", lambda row: row.state is JobState.EXITED and not row.waits)
    jobs.engine.submit(db.session_id, "go").result()
    jobs.runs("last")  # which had the same to wait for
    assert jobs.row("web").label == "not started"
    jobs.engine.restart(waiting.session_id).result()
    jobs.runs("web")
    assert jobs.count("web") == 1


def test_a_job_whose_dependency_was_stopped_says_so(run: Run) -> None:
    jobs = run(WEB_AFTER_DB)
    jobs.engine.kill(jobs.runs("db").session_id).result()
    jobs.waits("web", "waits for db, which was stopped")
