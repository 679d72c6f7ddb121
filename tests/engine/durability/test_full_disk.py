"""A disk that is really full, in a namespace of mounts: no job stops, nothing is lost, all is written later."""

from pathlib import Path

from small_disk import loses_nothing, needs_small_disk

FULL = """
import json, time
from fates import Console, entries, home, receipt
from waiting import wait_until
from engine import Caller, Engine, JobSpec
from engine.events import Completion, JobChanged, JobExited

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


@needs_small_disk
def test_a_full_disk_stops_no_job_and_costs_no_result(tmp_path: Path) -> None:
    loses_nothing(FULL, "1m", tmp_path)
