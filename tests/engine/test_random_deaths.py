"""kill -9 of an engine at random moments during starts and kills: nobody survives or is left stopped, no stranger ends.

``JOBDECK_DEATHS=300`` makes it 300 moments; as a rule there are a few.
"""

import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest
from living import alive, stopped
from waiting import wait_until

DEATHS = int(os.environ.get("JOBDECK_DEATHS", "12"))
AT_ONCE = 3
TOKEN = "JOBDECK_TEST_ROUND"

BUSY = """
import random, sys
from engine import Engine, JobSpec, Settings
rng = random.Random(int(sys.argv[1]))
engine = Engine(Settings(supervisor_kill_seconds=0.5, term_grace_seconds=0.1))
SCRIPTS = [
    "sleep 7901; true",
    "sleep 7901 & sleep 7902 & wait",
    "bash -c 'sleep 7901 & bash -c \\"sleep 7902 & wait\\"; wait'; true",
    "set -m; sleep 7901 & sleep 7902 & wait",
    "setsid sleep 7901 & sleep 7902; true",
    "(setsid sleep 7901 &) ; sleep 7902",
    "trap '' TERM HUP; sleep 7901; sleep 7902",
    "while :; do sleep 0.01; done",
    "sleep 0.05 & exit 3",
]
print("busy", flush=True)
running, answers = [], []
for number in range(100000):
    call = engine.spawn(JobSpec(argv=("bash", "-c", rng.choice(SCRIPTS)), pty=rng.random() < 0.4))
    running.append(call.result().session_id)
    if rng.random() < 0.7:
        answers.append(engine.kill(running.pop(rng.randrange(len(running))), now=rng.random() < 0.2))
    if len(running) > 12 or len([one for one in answers if not one.done()]) > 6:
        answers.pop().result()
        running = running[-8:]
"""


@pytest.fixture
def stranger() -> Iterator[psutil.Popen]:
    process = psutil.Popen(["bash", "-c", "sleep 7903 & sleep 7904; true"], start_new_session=True)
    wait_until(lambda: len(process.children()) == 2)
    family = [process, *process.children()]
    yield process
    assert len(alive(family)) == 3
    assert not stopped(family)
    for one in reversed(family):
        one.kill()
    process.wait()


def carriers(token: str, engine: int) -> list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != engine and process.environ().get(TOKEN) == token and alive([process]):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def die(number: int, home: Path) -> int:
    """One engine's life and death; how many processes it had."""
    rng = random.Random(number)
    token = uuid.uuid4().hex
    env = {**os.environ, TOKEN: token, "JOBDECK_HOME": str(home)}
    engine = subprocess.Popen(
        [sys.executable, "-c", BUSY, str(number)], env=env, stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert engine.stdout is not None and engine.stdout.readline() == b"busy\n"
        if number % 2:  # in the midst of it, however slow the machine; the others also amid their first start
            wait_until(lambda: len(carriers(token, engine.pid)) > 1, what=f"jobs of engine {number}")
        time.sleep(rng.uniform(0.0, 0.6))
        had = len(carriers(token, engine.pid))
    finally:
        os.killpg(engine.pid, signal.SIGKILL)
        engine.communicate()
    left: list[psutil.Process] = []

    def nobody_left() -> bool:
        left[:] = carriers(token, engine.pid)
        return not left

    try:
        wait_until(nobody_left, what=f"the jobs of engine {number} to end")
    except AssertionError as error:
        told = [f"{one.pid} {one.status()} {one.cmdline()}" for one in left]
        raise AssertionError(f"round {number}: left behind: {told}") from error
    finally:
        for process in left:
            process.kill()
    return had


def test_nobody_survives_an_engine_that_is_killed_at_a_random_moment(stranger: psutil.Popen, tmp_path: Path) -> None:
    first = int(os.environ.get("JOBDECK_SEED", "0"))
    with ThreadPoolExecutor(AT_ONCE) as pool:
        had = list(pool.map(lambda number: die(number, tmp_path), range(first, first + DEATHS)))
    print(f"\n{DEATHS} deaths with {sum(had)} processes running in all: 0 left, the stranger untouched")
