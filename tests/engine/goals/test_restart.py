"""A goal outlives its engine: kept whole, taken over once, its barrier restored (spec 2.7, 3)."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from barriers import Told
from goals import parked, says, seen, stands, started, stop
from waiting import PATIENCE, wait_until

from engine import Engine, GoalSpec, WaitSpec
from engine.goals.folder import GoalFolder
from engine.goals.state import GoalState, decode, encode
from engine.process.identity import identify
from engine.results import GoalsListed, Lifted, Refused, WaitSet
from engine.store.files import write_whole

HOST = """
import sys, threading
from engine import Engine, GoalSpec
engine = Engine(adopts_goals=True)
if len(sys.argv) > 1:
    said = engine.goal_start(GoalSpec(goal="g", step=sys.argv[1], judge=sys.argv[2], cwd=sys.argv[3])).result()
    print(said.goal.goal_id, flush=True)
else:
    print("hosting", flush=True)
sys.stdin.read()
engine.shutdown()
"""


class Host:
    """Another process with an engine that takes goals over."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOST, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline().strip()

    def die(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def leave(self) -> None:
        self.process.communicate(timeout=PATIENCE)


@pytest.fixture
def hosts() -> Iterator[list[Host]]:
    made: list[Host] = []
    yield made
    for host in made:
        host.die()


@pytest.fixture
def another(engine: Engine) -> Iterator[Engine]:
    """A second engine in this process's home, which takes goals over."""
    with Engine(adopts_goals=True) as running:
        yield running


def kept(home: Path, goal_id: str) -> GoalState:
    return decode((home / "goals" / f"{goal_id}.json").read_bytes())


def write(home: Path, state: GoalState) -> str:
    GoalFolder().make()
    (home / "goals" / f"{state.goal_id}.json").write_bytes(encode(state))
    return state.goal_id


# -- the file ---------------------------------------------------------------------------------------------------------


def test_the_file_holds_the_promised_fields_and_is_private(engine: Engine, home: Path, tmp_path: Path) -> None:
    goal_id = started(engine, "true", says({"verdict": "wait", "wait_for_seconds": 600}), cwd=str(tmp_path))
    view = parked(engine, goal_id)
    path = home / "goals" / f"{goal_id}.json"
    wait_until(lambda: kept(home, goal_id).waiting_until)
    found = json.loads(path.read_text())
    promised = """goal status turns_used max_turns created_at last_turn_at last_verdict last_reason paused_reason
        consecutive_parse_failures consecutive_transport_failures waiting_on_pid waiting_on_session waiting_until
        waiting_reason waiting_since"""
    assert set(promised.split()) <= set(found)
    assert (found["status"], found["turns_used"], found["max_turns"]) == ("active", 1, 20)
    assert view.barrier is not None and found["waiting_until"] == view.barrier.deadline
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700


def test_an_older_state_loads_with_defaults_and_an_unknown_field_is_passed_by() -> None:
    old = decode(b'{"goal": "g", "status": "paused", "turns_used": 3, "waiting_on_pid": null, "invented": [1]}')
    assert (old.goal, old.status, old.turns_used, old.max_turns, old.judge) == ("g", "paused", 3, 20, "exit-code")
    assert not old.waiting and decode(encode(old)) == old


def test_cut_at_every_byte_it_is_moved_aside_and_told_and_the_rest_goes_on(home: Path) -> None:
    whole = encode(GoalState(goal_id="goal_00000001", goal="g", step="true", status="paused"))
    write(home, GoalState(goal_id="goal_00000000", goal="healthy", step="true", status="paused"))
    folder, told = GoalFolder(), list[str]()
    for length in range(len(whole.rstrip()) - 1):
        path = folder.file("goal_00000001")
        path.write_bytes(whole[:length])
        assert folder.read("goal_00000001", told.append) is None
        assert not path.exists() and len(told) == length + 1 and "corrupt-" in told[-1]
    assert len(list((home / "goals").glob("*.corrupt-*"))) == len(told)
    folder.file("goal_00000002").write_bytes(whole[:40])
    with Engine(adopts_goals=True) as engine:
        told_by_engine = Told(engine)
        stands(engine, "goal_00000000", "paused", host_pid=os.getpid())
        wait_until(lambda: any("goal_00000002.json.corrupt-" in text for text in told_by_engine.notices))
        listed = engine.goal_status().result()
        assert isinstance(listed, GoalsListed) and [goal.goal_id for goal in listed.goals] == ["goal_00000000"]


@pytest.mark.parametrize(
    "broken",
    [
        '"waiting_on_pid": -5',
        f'"waiting_on_pid": {2**70}',
        f'"step_pid": {2**40}, "step_started": 1',
        '"waiting_until": 1e300',
        '"created_at": -1',
        '"turns": [{"number": 1, "session_id": "", "started_at": 1e300}]',
    ],
)
def test_a_number_that_can_not_be_is_a_file_that_can_not_be_read(broken: str) -> None:
    with pytest.raises(ValueError, match=r"a time that is none|a pid that no process has"):
        decode(f'{{"goal": "g", "step": "true", {broken}}}'.encode())


@pytest.mark.parametrize("what", ["folder", "pipe"])
def test_what_is_no_file_is_said_and_keeps_nobody_from_the_other_goals(engine: Engine, home: Path, what: str) -> None:
    write(home, GoalState(goal_id="goal_00000000", goal="healthy", step="true", status="paused"))
    path = home / "goals" / "goal_00000001.json"
    if what == "folder":
        path.mkdir()
    else:
        os.mkfifo(path)
    with Engine(adopts_goals=True) as adopting:
        for one in (engine, adopting):
            found = one.goal_status().result()
            assert isinstance(found, GoalsListed) and [view.goal for view in found.goals] == ["healthy"]
            refused = one.goal_status("goal_00000001").result()
            assert isinstance(refused, Refused) and str(path) in refused.error
        resumed = adopting.goal_resume("goal_00000000").result()
        assert not isinstance(resumed, Refused)
        stands(adopting, "goal_00000000", "done")


def test_a_home_that_can_not_be_written_refuses_a_start_and_stops_no_goal(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    told = Told(engine)
    os.mkfifo(tmp_path / "fifo")
    goal_id = started(engine, "cat fifo; false", cwd=str(tmp_path), max_turns=3)
    wait_until(lambda: seen(engine, goal_id).running)
    wait_until(lambda: kept(home, goal_id).step_pid)
    before = (home / "goals" / f"{goal_id}.json").read_bytes()
    (home / "goals").rename(home / "away")
    (home / "goals").write_text("in the way")
    refusal = engine.goal_start(GoalSpec(goal="x", step="true")).result()
    assert isinstance(refusal, Refused) and "can't be kept" in refusal.error
    for turn in range(1, 4):
        wait_until(lambda: told.goals[-1].turns_used == turn and told.goals[-1].running)  # noqa: B023
        with (tmp_path / "fifo").open("w"):
            pass
        wait_until(lambda: told.goals[-1].turns_used != turn or not told.goals[-1].running)  # noqa: B023
    wait_until(lambda: [goal for goal in told.goals if goal.status == "paused"])
    assert (home / "away" / f"{goal_id}.json").read_bytes() == before
    wait_until(lambda: any("can't be saved" in notice for notice in told.notices))
    (home / "goals").unlink()
    (home / "away").rename(home / "goals")
    wait_until(lambda: kept(home, goal_id).status == "paused")


# -- taking over ------------------------------------------------------------------------------------------------------


def test_a_parked_goal_goes_on_in_another_engine_after_kill_9(hosts: list[Host], home: Path, tmp_path: Path) -> None:
    waited = subprocess.Popen(["sleep", "600"])
    judge = says({"verdict": "wait", "wait_on_pid": waited.pid}, {"done": True})
    hosts.append(Host("echo >> steps", judge, str(tmp_path)))
    goal_id = hosts[0].said
    wait_until(lambda: kept(home, goal_id).waiting_on_pid)
    with Engine(adopts_goals=True) as engine:
        view = stands(engine, goal_id, "active", host_pid=hosts[0].process.pid)
        assert view.barrier is not None and view.barrier.pid == waited.pid
        told = Told(engine)
        hosts[0].die()
        view = stands(engine, goal_id, host_pid=os.getpid())
        assert view.barrier is not None and (view.barrier.kind, view.barrier.target) == ("pid", "sleep 600")
        assert view.barrier.barrier_id == kept(home, goal_id).waiting_id
        assert view.turns_used == 1
        waited.kill()
        waited.wait()
        stands(engine, goal_id, "done", turns_used=2)
        assert told.release().outcome == "gone"
    assert (tmp_path / "steps").read_text() == "\n\n"


@pytest.mark.parametrize("how", ["kill -9", "leaving"])
def test_a_step_that_was_running_is_never_run_twice_at_once(
    hosts: list[Host], home: Path, tmp_path: Path, how: str
) -> None:
    step = """exec 2> /dev/null; trap 'sleep 0.5; exit' TERM
        for pid in $(cat pids); do grep -qs '^State:.[^ZX]' /proc/$pid/status && echo twice >> clash; done
        echo $$ >> pids; test $(wc -l < pids) -ge 2 || sleep 600"""
    hosts.append(Host(step, "exit-code", str(tmp_path)))
    goal_id = hosts[0].said
    pids = tmp_path / "pids"
    wait_until(lambda: kept(home, goal_id).step_pid and pids.exists() and pids.read_text())
    with Engine(adopts_goals=True) as engine:
        stands(engine, goal_id, "active", host_pid=hosts[0].process.pid)
        if how == "kill -9":
            hosts[0].die()
        else:
            hosts[0].leave()
        view = stands(engine, goal_id, "done")
    assert view.turns_used == 2 and view.turns[0].reason == "interrupted: its engine ended"
    assert not (tmp_path / "clash").exists()


def test_of_many_engines_one_takes_it_over(hosts: list[Host], home: Path, tmp_path: Path) -> None:
    waited = subprocess.Popen(["sleep", "600"])
    judge = says({"verdict": "wait", "wait_on_pid": waited.pid}, {"done": 1})
    hosts.append(Host("echo $PPID >> steps", judge, str(tmp_path)))
    goal_id = hosts[0].said
    wait_until(lambda: kept(home, goal_id).waiting_on_pid)
    for _another in range(3):
        hosts.append(Host())
    with Engine(adopts_goals=True) as engine:
        stands(engine, goal_id, host_pid=hosts[0].process.pid)
        hosts[0].die()
        wait_until(lambda: seen(engine, goal_id).host_pid not in (0, hosts[0].process.pid))
        waited.kill()
        waited.wait()
        stands(engine, goal_id, "done", turns_used=2)
    assert len((tmp_path / "steps").read_text().split()) == 2


def test_a_goal_that_is_seen_on_the_disk_while_it_is_being_started_has_one_loop(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found_hosted: list[bool] = []
    with Engine(adopts_goals=True) as engine:
        hosting = engine.call("hosting", lambda: engine._rooms.goals._hosting).result()

        def keep(path: Path, data: bytes) -> None:
            write_whole(path, data)
            look = hosting.look(path.stem, host=True)
            asyncio.run_coroutine_threadsafe(look, engine.registry.loop).result(PATIENCE)
            found_hosted.append(path.stem in hosting.hosted)

        monkeypatch.setattr("engine.goals.goals.write_whole", keep)
        goal_id = started(engine, "echo >> ran; false", cwd=str(tmp_path), max_turns=1)
        stands(engine, goal_id, "paused", turns_used=1)
        assert found_hosted == [False]
        assert len(engine.list().result().processes) == 1
    assert (tmp_path / "ran").read_text() == "\n"


def test_a_time_is_kept_by_its_deadline_and_one_that_has_passed_rings_at_once(home: Path) -> None:
    now = time.time()
    state = GoalState(goal_id="goal_0000000a", goal="g", step="true", turns_used=1)
    state.waiting_until, state.waiting_since = now - 100, now - 200
    goal_id = write(home, state)
    state.goal_id, state.waiting_until = "goal_0000000b", now + 500
    later = write(home, state)
    with Engine(adopts_goals=True) as engine:
        stands(engine, goal_id, "done", turns_used=2)
        barrier = parked(engine, later).barrier
        assert barrier is not None and (barrier.deadline, barrier.since) == (now + 500, now - 200)


def test_a_job_is_lost_with_its_engine_and_the_goal_goes_on(home: Path) -> None:
    state = GoalState(goal_id="goal_0000000a", goal="g", step="true", turns_used=1)
    state.waiting_on_session, state.waiting_since = "proc_0123456789ab", time.time() - 5
    goal_id = write(home, state)
    with Engine(adopts_goals=True) as engine:
        told = Told(engine)
        stands(engine, goal_id, "done", turns_used=2)
        wait_until(lambda: told.releases or seen(engine, goal_id).status == "done")
        assert [event.release.outcome for event in told.releases] in ([], ["target_lost"])


@pytest.mark.parametrize("change", ["start time", "boot", "nothing", "unknown"])
def test_a_process_is_known_by_its_identity_not_by_its_number(home: Path, change: str) -> None:
    living = subprocess.Popen(["sleep", "600"])
    now = identify(living.pid)
    assert now is not None
    state = GoalState(goal_id="goal_0000000a", goal="g", step="true", turns_used=1)
    state.waiting_on_pid, state.waiting_since = living.pid, time.time() - 5
    state.waiting_boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    state.waiting_pid_started = now.start_time - (1 if change == "start time" else 0)
    if change == "boot":
        state.waiting_boot = "00000000-0000-0000-0000-000000000000"
    elif change == "unknown":  # an older state, which noted only the number
        state.waiting_pid_started = state.waiting_boot = None
    goal_id = write(home, state)
    with Engine(adopts_goals=True) as engine:
        if change in ("nothing", "unknown"):
            assert parked(engine, goal_id).turns_used == 1
            living.kill()
            living.wait()
        stands(engine, goal_id, "done", turns_used=2)
    living.kill()
    living.wait()


# -- verbs on another's goal ------------------------------------------------------------------------------------------


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host may be slow to answer, also in the midst of a transaction."""
    monkeypatch.setattr("engine.goals.goals._ANSWER_SECONDS", PATIENCE)
    monkeypatch.setattr("engine.store.state_db._BUSY_SECONDS", PATIENCE)


@pytest.mark.usefixtures("patient")
def test_verbs_reach_the_engine_that_hosts_it(hosts: list[Host], engine: Engine, home: Path, tmp_path: Path) -> None:
    hosts.append(
        Host("true", says({"verdict": "wait", "wait_for_seconds": 600}, {"verdict": "blocked"}), str(tmp_path))
    )
    goal_id = hosts[0].said
    host = hosts[0].process.pid
    stands(engine, goal_id, host_pid=host)
    parked(engine, goal_id)
    found = engine.goal_wait(goal_id, WaitSpec(seconds=900, reason="other")).result()
    assert isinstance(found, WaitSet) and found.barrier.reason == "other"
    wait_until(lambda: parked(engine, goal_id).barrier.reason == "other")  # type: ignore[union-attr]
    refusal = engine.goal_wait(goal_id, WaitSpec(session_id="proc_000000000000")).result()
    assert isinstance(refusal, Refused) and refusal.status == "not_found"
    engine.goal_pause(goal_id, "for now").result()
    view = stands(engine, goal_id, "paused", host_pid=host)
    assert view.paused_reason == "for now" and view.barrier is None
    engine.goal_resume(goal_id).result()
    stands(engine, goal_id, "paused", turns_used=2)
    lifted = engine.goal_unwait(goal_id).result()
    assert isinstance(lifted, Lifted) and not lifted.lifted
    engine.goal_clear(goal_id).result()
    wait_until(lambda: not list((home / "goals").iterdir()))


def test_a_host_that_does_not_answer_is_named_and_the_ask_is_taken_back(
    hosts: list[Host], engine: Engine, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.goals.goals._ANSWER_SECONDS", 0.3)
    hosts.append(Host("true", says({"verdict": "wait", "wait_for_seconds": 600}), str(tmp_path)))
    goal_id, process = hosts[0].said, hosts[0].process
    parked(engine, goal_id)
    stop(process, home)
    refusal = engine.goal_pause(goal_id).result()
    process.send_signal(signal.SIGCONT)
    assert isinstance(refusal, Refused) and refusal.retry and str(process.pid) in refusal.error
    assert not list((home / "goals").glob("*.ask"))
    assert seen(engine, goal_id).status == "active"


def test_without_a_host_a_goal_at_rest_is_changed_and_runs_no_turn(engine: Engine, home: Path) -> None:
    goal_id = write(home, GoalState(goal_id="goal_0000000a", goal="g", step="true", turns_used=1))
    found = engine.goal_wait(goal_id, WaitSpec(seconds=600)).result()
    assert isinstance(found, WaitSet)
    assert isinstance(engine.goal_unwait(goal_id).result(), Lifted)
    engine.goal_pause(goal_id, "off").result()
    wait_until(lambda: kept(home, goal_id).status == "paused")
    assert seen(engine, goal_id).turns_used == 1 and len(engine.list().result().processes) == 0


@pytest.mark.usefixtures("patient")
def test_another_engine_sees_what_changes_and_what_is_cleared(engine: Engine, another: Engine, tmp_path: Path) -> None:
    told = Told(another)
    wait = {"verdict": "wait", "wait_for_seconds": 600}
    goal_id = started(engine, "true", says(wait), cwd=str(tmp_path))
    wait_until(lambda: [goal for goal in told.goals if goal.barrier is not None])
    barrier = told.goals[-1].barrier
    assert barrier is not None and barrier == parked(engine, goal_id).barrier
    assert another.lift(barrier.barrier_id).result().lifted
    wait_until(lambda: told.goals[-1].barrier not in (None, barrier), what="the next turn's barrier")
    assert not another.lift(barrier.barrier_id).result().lifted
    engine.goal_clear(goal_id).result()
    wait_until(lambda: told.goals[-1].status == "cleared")
    assert {goal.goal_id for goal in told.goals} == {goal_id}


def test_turns_are_counted_before_they_run_however_often_the_host_dies(home: Path, tmp_path: Path) -> None:
    hosts = [Host("kill -9 $PPID; sleep 600", "exit-code", str(tmp_path))]
    hosts[0].process.wait(PATIENCE)  # it may die before it can say the goal's id
    ((goal_id, _json),) = [path.name.split(".") for path in (home / "goals").glob("goal_*.json")]
    hosts[0].die()
    for turn in range(1, 4):
        assert kept(home, goal_id).turns_used == turn
        host = Host()
        host.process.wait(PATIENCE)  # it takes the goal over, and that is its death
        host.die()
    assert kept(home, goal_id).turns_used == 4
