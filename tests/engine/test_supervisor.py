"""The owner's death takes its jobs with it, however it died (spec 3.3, in its short form)."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from living import alive, tree_of
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec
from engine.ownership.supervisor import SCRIPT

OWNER = """
import sys, time
from engine import Engine, JobSpec, Settings
engine = Engine(Settings(supervisor_kill_seconds=0.5))
shapes = [
    JobSpec(command="echo up; sleep 7401; true"),
    JobSpec(command="echo up; sleep 7402; true", pty=True),
    JobSpec(argv=("bash", "-c", "trap '' TERM HUP; echo up; sleep 7410; sleep 7411"), pty=True),
    JobSpec(argv=("bash", "-c", "set -m; sleep 7403 & sleep 7404 & echo up; wait")),
    JobSpec(argv=("bash", "-c", "sleep 7405 & echo up; kill -STOP $$; wait")),
]
ids = [engine.spawn(spec).result().session_id for spec in shapes]
while not all("up" in engine.poll(i).result().output_preview for i in ids):
    time.sleep(0.01)
print("ready", flush=True)
time.sleep(600)
"""
FAMILY = 12
"""The supervisor, a shell a job, and what these run."""


@pytest.fixture
def owner() -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True, cwd=Path.cwd())
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    left = family(process)
    assert len(left) == FAMILY
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()
    wait_until(lambda: alive(left) == [], what="the owner's family to end")
    process.stdout.close()


def family(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Its supervisor and all of its jobs, once each is what it is to be."""

    def sleepers() -> list[str]:
        return sorted(line for line in alive(tree_of(process.pid)[1:]) if line.startswith("sleep"))

    wait_until(lambda: sleepers() == [f"sleep {number}" for number in (7401, 7402, 7403, 7404, 7405, 7410)])
    return tree_of(process.pid)[1:]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])
def test_no_job_survives_its_owner_and_a_strangers_do(owner: subprocess.Popen[str], number: int) -> None:
    control = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    assert control.stdout is not None and control.stdout.readline() == "ready\n"
    try:
        ours, theirs = family(owner), family(control)
        os.kill(owner.pid, number)
        wait_until(lambda: alive(ours) == [], what="the owner's jobs to end")
        assert len(alive(theirs)) == FAMILY
    finally:
        control.kill()
        control.wait()
        control.stdout.close()
        wait_until(lambda: alive(theirs) == [], what="the control's jobs to end")


def test_a_killed_supervisor_is_replaced_with_every_group(engine: Engine) -> None:
    engine.spawn(JobSpec(command="sleep 7406")).result()
    first = engine.registry.supervisor.pid
    assert first is not None
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: psutil.Process(first).status() == psutil.STATUS_ZOMBIE)
    engine.spawn(JobSpec(command="sleep 7407")).result()
    second = engine.registry.supervisor.pid
    assert second is not None and second != first
    assert psutil.pid_exists(second)


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox"])
def test_the_script_is_plain_sh_and_takes_nothing_on_trust(shell: str, tmp_path: Path) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"no {shell} on this machine")
    command = [program, *(["sh"] if shell == "busybox" else [])]
    jobs = {name: _sleeper() for name in ("ours", "unregistered", "unfinished", "malformed")}
    stranger = _sleeper()
    script = subprocess.Popen(
        [*command, str(SCRIPT), str(os.getpgrp()), "10"], stdin=subprocess.PIPE, start_new_session=True
    )
    assert script.stdin is not None
    lines = [
        f"register {jobs['ours'].pid} proc_1",
        f"register {jobs['unregistered'].pid} proc_2",
        f"unregister {jobs['unregistered'].pid}",
        f"register {jobs['malformed'].pid} proc_3 extra",
        f"register {jobs['malformed'].pid}",
        f"regist {jobs['malformed'].pid} proc_3",
        "register 0 proc_4",
        "register 1 proc_4",
        "register -1 proc_4",
        f"register {os.getpgrp()} proc_4",
        "register 99999999999999999999 proc_4",
        "register $(touch /tmp/never) proc_4",
        "",
        f"register {jobs['unfinished'].pid} proc_5",
    ]
    try:
        script.stdin.write("\n".join(lines).encode())  # no newline at the end: that line is unfinished
        script.stdin.close()
        assert script.wait(PATIENCE) == 0
        assert jobs["ours"].wait(PATIENCE) == -signal.SIGTERM
        time.sleep(0.1)
        for survivor in (jobs["unregistered"], jobs["unfinished"], jobs["malformed"], stranger):
            assert survivor.poll() is None
    finally:
        for process in (*jobs.values(), stranger):
            process.kill()
            process.wait()


def test_the_supervisor_sleeps_while_the_owner_lives(engine: Engine) -> None:
    engine.spawn(JobSpec(command="sleep 7408")).result()
    supervisor = psutil.Process(engine.registry.supervisor.pid or 0)

    def half_a_second_asleep() -> bool:
        before = supervisor.num_ctx_switches().voluntary
        time.sleep(0.5)
        return before > 0 and supervisor.num_ctx_switches().voluntary == before

    wait_until(half_a_second_asleep, what="the supervisor to sleep, once it has read what it was told")


def _sleeper() -> subprocess.Popen[bytes]:
    return subprocess.Popen(["sleep", "7409"], start_new_session=True)
