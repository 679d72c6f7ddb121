"""A disk that is really full, in a namespace of mounts: nothing that was kept is lost, no job stops, no turn begins."""

import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[3]
UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]

FULL = """
import os, subprocess, sys
from pathlib import Path
root, disk = sys.argv[1], Path(sys.argv[2])
sys.path[:0] = [root, root + "/tests/fixtures"]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(disk)], check=True)
os.environ["JOBDECK_HOME"] = str(disk / "home")
from barriers import Told
from goals import seen, stands, started
from waiting import PATIENCE, wait_until
from engine import Engine, JobSpec
from engine.goals.state import decode

def fill():
    with open(disk / "ballast", "ab", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError as error:
            assert error.errno == 28, error

work = Path(sys.argv[3])
os.mkfifo(work / "fifo")
with Engine() as engine:
    told = Told(engine)
    goal_id = started(engine, "cat fifo; false", cwd=str(work), max_turns=4)
    path = disk / "home" / "goals" / f"{goal_id}.json"
    wait_until(lambda: decode(path.read_bytes()).step_pid)
    # What is just being written takes room that it gives back.
    engine.call("flush", lambda: engine.registry.writer.flush(PATIENCE)).result()
    fill()
    fill()
    before = path.read_bytes()
    with open(work / "fifo", "w"):
        pass
    # Its step ends; the next turn can't be counted and doesn't begin.
    wait_until(lambda: told.goals[-1].held_up)
    assert "state.db can't be used" in told.goals[-1].held_up, told.goals[-1]
    wait_until(lambda: [text for text in told.notices if "no turn of a goal runs" in text])
    assert told.goals[-1].turns_used == 1
    assert path.read_bytes() == before and decode(before).turns_used == 1
    ended = engine.wait(engine.spawn(JobSpec(command="echo fine")).result().session_id).result()
    assert (ended.exit_code, ended.output) == (0, "fine\\n")
    (disk / "ballast").unlink()
    for turn in range(2, 5):
        wait_until(lambda: told.goals[-1].turns_used == turn and told.goals[-1].running)
        assert not told.goals[-1].held_up
        with open(work / "fifo", "w"):
            pass
    wait_until(lambda: decode(path.read_bytes()).status == "paused")
    assert decode(path.read_bytes()).turns_used == 4
    assert sum("can be used again" in text for text in told.notices) == 1, told.notices
print("nothing lost")
"""


def permitted() -> bool:
    try:
        probe = subprocess.run([*UNSHARE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    except OSError:
        return False
    return probe.returncode == 0


@pytest.mark.skipif(not permitted(), reason="no namespace of mounts may be made here")
def test_a_full_disk_loses_nothing_and_begins_no_turn(tmp_path: Path) -> None:
    script, disk, work = tmp_path / "full.py", tmp_path / "disk", tmp_path / "work"
    script.write_text(FULL)
    disk.mkdir()
    work.mkdir()
    done = subprocess.run(
        [*UNSHARE, sys.executable, str(script), str(ROOT), str(disk), str(work)],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "nothing lost\n"), done.stderr
