"""A number that now is somebody else's is never signalled: not by a kill, the supervisor, nor the doctor (spec 1.8)."""

from pathlib import Path

import pytest
from recycling import permitted, run_inside

PRELUDE = """
import os, subprocess, time
import psutil
from living import command, tree_of
from recycling import successor
from waiting import wait_until
from engine import Engine, JobSpec, Settings
from engine.events import Snapshot
from engine.process.identity import identify

def gone(pid):
    wait_until(lambda: not psutil.pid_exists(pid), what=f"{pid} to be gone")

def child_of(pid, line):
    return wait_until(lambda: next((one.pid for one in tree_of(pid)[1:] if command(one) == line), 0), what=line)

def view(engine, session_id):
    feed = engine.events(); snapshot = feed.next(30); feed.close()
    return next(job for job in snapshot.jobs if job.session_id == session_id)
"""

KILL = """
with Engine(Settings(term_grace_seconds=1.5)) as engine:
    # The child takes the TERM at once, its parent waits for the KILL: meanwhile the number changes hands.
    script = "trap '' TERM; sleep 7001 & exec 9<> /dev/zero; wait; read -t 600 x < <(sleep 600)"
    started = engine.spawn(JobSpec(argv=("bash", "-c", script))).result()
    child = child_of(started.pid, "sleep 7001")
    killing = engine.kill(started.session_id)
    gone(child)
    stranger = successor(child)
    assert killing.result().status == "killed"
    assert stranger.poll() is None

    # The job's own number, after its end.
    ended = engine.spawn(JobSpec(command="exit 3")).result()
    engine.wait(ended.session_id).result()
    leader = successor(ended.pid, leads=True)
    assert engine.kill(ended.session_id, escaped=True).result().status == "already_exited"
    assert engine.signal(ended.session_id, "KILL").result().status == "already_exited"
    assert leader.poll() is None
    for one in (stranger, leader):
        one.kill(); one.wait()
print("untouched")
"""

STRAYS = """
with Engine() as engine:
    started = engine.spawn(JobSpec(argv=("bash", "-c", "(setsid sleep 7002 &); (sleep 7003 &); sleep .3"))).result()
    engine.wait(started.session_id).result()
    strays = wait_until(lambda: [one.pid for one in view(engine, started.session_id).escaped])
    assert len(strays) == 2
    engine.call("blind", lambda: engine.registry.ends.close()).result()  # its end won't be noticed
    strangers = []
    for pid in strays:
        os.kill(pid, 9); gone(pid)
        strangers.append(successor(pid))
    assert engine.kill(started.session_id, escaped=True).result().status == "already_exited"
    assert [one.poll() for one in strangers] == [None, None]
    # The group is registered still, and its number leads strangers now.
    assert engine.registry.supervisor.guards(started.pid)
    leader = successor(started.pid, leads=True)
    script = psutil.Process(engine.registry.supervisor.pid)
assert not script.is_running() or script.status() == psutil.STATUS_ZOMBIE
assert [one.poll() for one in (*strangers, leader)] == [None, None, None]
for one in (*strangers, leader):
    one.kill(); one.wait()
print("untouched")
"""

LEDGER = """
from pathlib import Path
from engine.ownership.ledger import Ledger, Row, boot_id
from engine.ownership.leftovers import find_leftovers, resume_and_forget
home = Path(os.environ["JOBDECK_HOME"]); home.mkdir(mode=0o700)
owner, child = (subprocess.Popen(["sleep", "600"], start_new_session=True) for _ in range(2))
row = Row(pid=child.pid, start_time=identify(child.pid).start_time, pgid=child.pid, owner_pid=owner.pid,
          owner_start=identify(owner.pid).start_time, boot=boot_id())
ledger = Ledger(home, print)
ledger.change(lambda rows: [row], 1)
assert find_leftovers(ledger, ()) == []
for one in (owner, child):
    one.kill(); one.wait(); time.sleep(0.02)
strangers = [successor(owner.pid), successor(child.pid, leads=True)]
psutil.Process(child.pid).suspend()
wait_until(lambda: psutil.Process(child.pid).status() == psutil.STATUS_STOPPED)
assert find_leftovers(ledger, ()) == []
assert resume_and_forget(ledger, 1) == 0
assert psutil.Process(child.pid).status() == psutil.STATUS_STOPPED  # not ours to let go on
assert ledger.rows() == ()
for one in strangers:
    one.kill(); one.wait()
print("untouched")
"""

SURVEY = """
from engine.process import survey
from engine.process.marks import JobMarks
looks = survey.Survey(JobMarks())
forks = "while read x; do sleep 600 & done; kill $(jobs -p)"
leader = subprocess.Popen(["bash", "-c", forks], stdin=subprocess.PIPE, start_new_session=True)
stranger = subprocess.Popen(["sleep", "600"])
for _ in range(3):
    assert [row.pid for row in looks.read({"job": identify(leader.pid)})["job"]] == [leader.pid]
stranger.kill(); stranger.wait(); time.sleep(0.02)
for _ in range(200):
    with open("/proc/sys/kernel/ns_last_pid", "w") as file:
        file.write(str(stranger.pid - 1))
    count = len(psutil.Process(leader.pid).children())
    leader.stdin.write(b"\\n"); leader.stdin.flush()
    wait_until(lambda: len(psutil.Process(leader.pid).children()) > count)
    if psutil.pid_exists(stranger.pid):
        break
assert stranger.pid in [row.pid for row in looks.read({"job": identify(leader.pid)})["job"]]
leader.communicate()
print("seen")
"""


@pytest.mark.skipif(not permitted(), reason="no namespace of pids may be made here")
@pytest.mark.parametrize("script", [KILL, STRAYS, LEDGER], ids=["kill", "strays", "ledger"])
def test_a_stranger_under_a_recycled_number_lives(script: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    done = run_inside(PRELUDE + script, tmp_path / "inside.py")
    assert (done.returncode, done.stdout) == (0, "untouched\n"), done.stderr


@pytest.mark.skipif(not permitted(), reason="no namespace of pids may be made here")
def test_a_jobs_child_under_a_strangers_number_is_seen_at_once(tmp_path: Path) -> None:
    done = run_inside(PRELUDE + SURVEY, tmp_path / "inside.py")
    assert (done.returncode, done.stdout) == (0, "seen\n"), done.stderr
