"""A disk that is really full, in a namespace of mounts: nothing that was kept is lost, no job stops, no turn begins."""

from pathlib import Path

from small_disk import loses_nothing, needs_small_disk

FULL = """
from barriers import Told
from goals import seen, stands, started
from waiting import PATIENCE, wait_until
from engine import Engine, JobSpec
from engine.goals.state import decode

work = Path(words[0])
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


@needs_small_disk
def test_a_full_disk_loses_nothing_and_begins_no_turn(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    loses_nothing(FULL, "256k", tmp_path, str(work))
