"""A number that the kernel really gave to another process, in a namespace of pids where that can be arranged."""

from pathlib import Path

import pytest
from recycling import permitted, run_inside

RECYCLE = """
import os, subprocess, time
from barriers import Told
from goals import parked, stands
from recycling import successor
from engine import Engine, WaitSpec
from engine.goals.folder import GoalFolder
from engine.goals.state import GoalState, encode
from engine.process.identity import identify

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


@pytest.mark.skipif(not permitted(), reason="no namespace of pids may be made here")
def test_a_number_that_went_to_another_process_is_gone_and_the_other_lives_on(home: Path, tmp_path: Path) -> None:
    done = run_inside(RECYCLE, tmp_path / "recycle.py")
    assert (done.returncode, done.stdout) == (0, "recycled twice\n"), done.stderr
