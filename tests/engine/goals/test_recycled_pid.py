"""A number that the kernel really gave to another process, in a namespace of pids where that can be arranged."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[3]
UNSHARE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]

RECYCLE = """
import os, subprocess, sys, time
from pathlib import Path
sys.path[:0] = [sys.argv[1], sys.argv[1] + "/tests/fixtures"]
from barriers import Told
from goals import parked, stands
from waiting import wait_until
from engine import Engine, WaitSpec
from engine.goals.folder import GoalFolder
from engine.goals.state import GoalState, encode
from engine.process.identity import identify

def successor(pid):
    for _try in range(50):
        Path("/proc/sys/kernel/ns_last_pid").write_text(str(pid - 1))
        process = subprocess.Popen(["sleep", "600"])
        if process.pid == pid:
            return process
        process.kill(); process.wait()
    raise SystemExit("the number could not be had again")

first = subprocess.Popen(["sleep", "600"])
was = identify(first.pid)
folder = GoalFolder(); folder.make()
state = GoalState(goal_id="goal_0000000a", goal="g", step="true", turns_used=1)
state.waiting_on_pid, state.waiting_pid_started, state.waiting_since = first.pid, was.start_time, time.time()
folder.file(state.goal_id).write_bytes(encode(state))
first.kill(); first.wait(); time.sleep(0.05)
second = successor(first.pid)
assert identify(second.pid) != was
with Engine(adopts_goals=True) as engine:
    stands(engine, "goal_0000000a", "done", turns_used=2)
    assert second.poll() is None

    # Looking, where no descriptor is to be had: the number changes hands between two looks.
    def exhausted(_pid):
        raise OSError(24, "Too many open files")
    told, os.pidfd_open = Told(engine), exhausted
    barrier = engine.wait_for(WaitSpec(pid=second.pid)).result().barrier
    engine.list().result()
    second.kill(); second.wait(); time.sleep(0.05)
    third = successor(second.pid)
    assert told.release(barrier.barrier_id).outcome == "gone" and third.poll() is None
    third.kill(); third.wait()
print("recycled twice")
"""


def permitted() -> bool:
    try:
        probe = subprocess.run(
            [*UNSHARE, "sh", "-c", "echo 700 > /proc/sys/kernel/ns_last_pid && sh -c 'true'"],
            capture_output=True,
            check=False,
        )
    except OSError:
        return False
    return probe.returncode == 0


@pytest.mark.skipif(not permitted(), reason="no namespace of pids may be made here")
def test_a_number_that_went_to_another_process_is_gone_and_the_other_lives_on(home: Path, tmp_path: Path) -> None:
    script = tmp_path / "recycle.py"
    script.write_text(RECYCLE)
    line = shlex.join([sys.executable, str(script), str(ROOT)])
    done = subprocess.run(
        [*UNSHARE, "sh", "-c", f"{line}; exit $?"], capture_output=True, text=True, timeout=4 * PATIENCE, check=False
    )
    assert (done.returncode, done.stdout) == (0, "recycled twice\n"), done.stderr
