"""A disk that is really full, in a namespace of mounts: no job stops, nothing is lost, all is written later."""

import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

ROOT = Path(__file__).parents[3]
UNSHARE = ["unshare", "--user", "--map-root-user", "--mount"]

FULL = """
import json, os, subprocess, sys, time
from pathlib import Path
root, disk = sys.argv[1], Path(sys.argv[2])
sys.path[:0] = [root, root + "/tests/fixtures"]
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], check=True)
os.environ["JOBDECK_HOME"] = str(disk / "home")
from fates import Console, entries, home, receipt
from waiting import wait_until
from engine import Caller, Engine, JobSpec
from engine.events import Completion, JobChanged, JobExited

def fill():
    with open(disk / "ballast", "ab", buffering=0) as file:
        try:
            while file.write(b"x" * 4096):
                pass
        except OSError as error:
            assert error.errno == 28, error

AGENT = Caller("conv_a")
with Engine() as engine:
    console = Console(engine)
    early = engine.spawn(JobSpec(command="echo early")).result().session_id
    engine.wait(early).result()
    runs = engine.spawn(JobSpec(command="read x; echo $x", stdin="pipe")).result().session_id
    wait_until(lambda: set(entries()) == {runs})
    assert engine.registry.writer.flush(30)
    paths = (home() / "processes.json", home() / "logs/process-results" / f"{early}.json")
    kept = {path: path.read_bytes() for path in paths}
    fill()
    time.sleep(0.5)
    fill()  # what was being written at that moment has been given up since
    names = []
    for number in range(5):
        spec = JobSpec(command=f"echo {number}; exit {number}", notify_on_complete=True)
        names.append(engine.api(AGENT).spawn(spec).result().session_id)
        assert engine.wait(names[-1]).result().exit_code == number
    engine.submit(runs, "on").result()
    assert engine.wait(runs).result().output == "on\\n"
    views = {one.job.session_id: one.job for one in console.of(JobExited)}
    assert all(views[name].receipt_pending and not views[name].receipt for name in (*names, runs)), views
    told = [text for text in console.notices() if "can't be saved" in text and "home/ledger" not in text]
    assert len(told) == 1 and "free some space" in told[0] and "nothing stops" in told[0], told
    assert {path: path.read_bytes() for path in kept} == kept
    # Listed and read all the same.
    assert {row.session_id for row in engine.list().result().processes} == {early, runs, *names}
    (disk / "ballast").unlink()
    for number, name in enumerate(names):
        wait_until(lambda: (home() / "logs/process-results" / f"{name}.json").exists())
        assert (receipt(name)["output"], receipt(name)["exit_code"]) == (f"{number}\\n", number)
        wait_until(lambda: any(one.job.receipt and one.job.session_id == name for one in console.of(JobChanged)))
    wait_until(lambda: not entries())
    wait_until(lambda: any("is saved again" in text for text in console.notices()))
    assert engine.registry.writer.flush(30)
    assert sorted(path.name for path in home().rglob("*.tmp")) == []
with Engine() as engine:
    feed = engine.api(AGENT).notices()
    found = []
    wait_until(lambda: found.extend(feed.take()) or len(found) == 5)
    assert [one.session_id for one in found if isinstance(one, Completion)] == names
print("nothing lost")
"""


def permitted() -> bool:
    """May such a namespace be made here?"""
    try:
        return subprocess.run([*UNSHARE, "true"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


@pytest.mark.skipif(not permitted(), reason="no namespace of mounts may be made here")
def test_a_full_disk_stops_no_job_and_costs_no_result(tmp_path: Path) -> None:
    script, disk = tmp_path / "full.py", tmp_path / "disk"
    script.write_text(FULL)
    disk.mkdir()
    done = subprocess.run(
        [*UNSHARE, sys.executable, str(script), str(ROOT), str(disk)],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "nothing lost\n"), done.stderr
