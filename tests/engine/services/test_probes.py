"""Readiness where the looks don't go well: who hangs, who ignores TERM, and a port that a stranger has."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
from file_jobs import Run
from waiting import PATIENCE, wait_until

SERVE = f"exec {sys.executable} -c 'import socket,time; s=socket.create_server((\"127.0.0.1\", PORT)); time.sleep(600)'"


def waits_for_db(ready: str, command: str) -> str:
    return (
        f"[jobs.db]\ncommand = '''{command}'''\nready = {{ {ready}, every = 0.05 }}\n"
        '[jobs.web]\ncommand = "exec sleep 7461"\nafter = ["db"]\nautostart = true\n'
    )


def test_an_address_that_gives_no_answer_holds_up_nobody(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        jobs = run(waits_for_db(f'http = "http://127.0.0.1:{port}/"', "exec sleep 7462"))
        looking, _ = silent.accept()  # it looks, and nothing comes
        row = jobs.waits("web", f"waits for db: http://127.0.0.1:{port}/")
        assert jobs.engine.kill(row.session_id).result().status == "killed"
        jobs.engine.kill(jobs.runs("db").session_id).result()
        looking.close()


def test_a_command_that_ignores_term_is_ended_with_its_job(run: Run, folder: Path) -> None:
    look = "trap '' TERM HUP; echo $$ >> lookers; while :; do sleep 7463; done"
    jobs = run(waits_for_db(f'command = """{look}"""', "exec sleep 7462"))
    wait_until(lambda: (folder / "lookers").exists() and (folder / "lookers").read_text().strip())
    pids = [int(pid) for pid in (folder / "lookers").read_text().split()]
    jobs.engine.kill(jobs.runs("db").session_id).result()
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in pids))


def test_a_port_that_a_stranger_has_is_not_the_jobs(run: Run, folder: Path, port: int) -> None:
    stranger = subprocess.Popen(["/bin/sh", "-c", SERVE.replace("PORT", str(port))])
    try:
        wait_until(lambda: _listens(port))
        jobs = run(
            waits_for_db(f"port = {port}", f"until [ -e go ]; do sleep 0.02; done; {SERVE}".replace("PORT", str(port)))
        )
        notice = jobs.told(f"db finds port {port} taken by ")
        assert f"(process {stranger.pid}): web waits for it" in notice.text
        jobs.waits("web", f"waits for db, which finds port {port} taken by")
    finally:
        os.kill(stranger.pid, signal.SIGKILL)
        stranger.wait(PATIENCE)
    (folder / "go").touch()
    jobs.runs("web")  # what follows on that port is the job's own
    assert jobs.count("db") == 1


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0
