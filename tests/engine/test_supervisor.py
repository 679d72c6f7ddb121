"""The owner's death takes its jobs with it, however it died (spec 3.3, in its short form)."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from living import alive, tree_of
from waiting import wait_until

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
