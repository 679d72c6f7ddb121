"""One loop a goal over all processes: the lease decides (spec 2.7, 3.6)."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from barriers import Told
from goals import parked, says, seen, stands, started, stop
from manual_clock import ManualClock
from waiting import PATIENCE, wait_until

from engine import Engine, GoalSpec
from engine.events import GoalChanged
from engine.goals.state import GoalState, decode
from engine.ownership.claimant import claimant, ourselves
from engine.results import Refused

HOST = """
import sys
from engine import Engine, GoalSpec, Settings
engine = Engine(Settings(lease_ttl_seconds=float(sys.argv[1])), adopts_goals=True)
feed = engine.events()
if len(sys.argv) > 2:
    said = engine.goal_start(
        GoalSpec(goal="g", step=sys.argv[2], judge=sys.argv[3], cwd=sys.argv[4], max_turns=10_000)
    ).result()
    print(said.goal.goal_id, flush=True)
else:
    print("hosting", flush=True)
while (event := feed.next()) is not None:
    if getattr(event, "text", ""):
        print(event.text, flush=True)
"""


class Host:
    """An engine in a process of its own that takes goals over."""

    def __init__(self, ttl: float, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOST, str(ttl), *words],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline().strip() if words else ""

    @property
    def pid(self) -> int:
        return self.process.pid

    def told(self) -> str:
        """The next notice."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def die(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def hosts() -> Iterator[list[Host]]:
    made: list[Host] = []
    yield made
    for host in made:
        host.die()


@pytest.fixture
def brief_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.goals.hosting._GRACE_SECONDS", 0.5)


def kept(home: Path, goal_id: str) -> GoalState:
    return decode((home / "goals" / f"{goal_id}.json").read_bytes())


def lease_of(home: Path, goal_id: str) -> tuple[str, float] | None:
    connection = sqlite3.connect(home / "state.db", timeout=PATIENCE)
    try:
        query = "SELECT holder, expires_at FROM turn_leases WHERE key = ?"
        return connection.execute(query, (f"goal:{goal_id}",)).fetchone()  # type: ignore[no-any-return]
    finally:
        connection.close()


def test_each_turn_runs_exactly_once_however_often_its_host_is_killed(home: Path, tmp_path: Path) -> None:
    chance = random.Random(7)
    ran = tmp_path / "ran"
    # Also no two steps at once: each notes who is before it, and clears the note at its end.
    step = """test -e busy && kill -0 $(cat busy) 2> /dev/null && echo $JOBDECK_GOAL_TURN >> clash
        echo $$ > busy; echo $JOBDECK_GOAL_TURN $$ >> ran; rm -f busy; exit 1"""
    hosts = [Host(300, step, "exit-code", str(tmp_path))]
    goal_id = hosts[0].said
    hosts.append(Host(300))

    def begun() -> int:
        return ran.read_text().count("\n") if ran.exists() else 0

    try:
        for _death in range(12):
            so_far = begun()
            wait_until(lambda: begun() > so_far + chance.randrange(4))  # noqa: B023
            time.sleep(chance.random() * 0.05)
            holder = lease_of(home, goal_id)
            host = claimant(holder[0]) if holder is not None else None
            victim = next((one for one in hosts if host is not None and one.pid == host.pid), hosts[0])
            victim.die()
            hosts.remove(victim)
            hosts.append(Host(300))
    finally:
        for one in hosts:
            one.die()
    turns = [int(line.split()[0]) for line in ran.read_text().splitlines()]
    assert [turn for turn, times in Counter(turns).items() if times > 1] == []
    assert turns == sorted(turns) and len(turns) >= 12
    assert not (tmp_path / "clash").exists()
    assert kept(home, goal_id).turns_used >= max(turns)


def test_a_host_that_stood_still_past_its_lease_has_lost_the_goal_and_says_so(
    hosts: list[Host], home: Path, tmp_path: Path
) -> None:
    hosts.append(Host(3.0, "test -e go", says({"verdict": "wait", "wait_for_seconds": 600}), str(tmp_path)))
    goal_id, first = hosts[0].said, hosts[0]
    wait_until(lambda: kept(home, goal_id).waiting_until)
    clock = ManualClock(time.time())  # the lease expires when we say so, however slow its host is
    with Engine(adopts_goals=True, clock=clock) as engine:
        view = stands(engine, goal_id, "active", host_pid=first.pid)
        assert view.host == f"process {first.pid}" and view.lease_until > clock.wall()
        stop(first.process, home)
        told = Told(engine)

        def taken_over() -> bool:
            clock.advance(engine, 1)
            return seen(engine, goal_id).host_pid == os.getpid()

        wait_until(taken_over, what="the goal to be taken over")
        until = [(event.at, event.goal.lease_until) for event in told.events if isinstance(event, GoalChanged)]
        assert any(0 < expired <= at for at, expired in until), "that it expired was told"
        assert parked(engine, goal_id).turns_used == 1
        taken = kept(home, goal_id)
        first.process.send_signal(signal.SIGCONT)
        while "has taken it over" not in (notice := first.told()):
            assert notice
        assert f"process {os.getpid()} has taken it over" in notice and goal_id in notice
        engine.goal_pause(goal_id, "ours").result()
        wait_until(lambda: kept(home, goal_id).status == "paused")
        assert kept(home, goal_id).turns_used == taken.turns_used
        refreshed = lease_of(home, goal_id)
        clock.advance(engine, 100)
        wait_until(lambda: lease_of(home, goal_id) != refreshed)
        assert seen(engine, goal_id).host_pid == os.getpid()


@pytest.mark.usefixtures("brief_grace")
def test_the_turn_of_a_host_that_stood_still_is_ended_and_not_written(
    hosts: list[Host], home: Path, tmp_path: Path
) -> None:
    step = "echo $JOBDECK_GOAL_TURN $$ >> ran; test $JOBDECK_GOAL_TURN -ge 2 || sleep 600"
    hosts.append(Host(2.0, step, "exit-code", str(tmp_path)))
    goal_id, first = hosts[0].said, hosts[0]
    wait_until(lambda: kept(home, goal_id).step_pid)
    stop(first.process, home)
    with Engine(adopts_goals=True) as engine:
        # It waits for the step that still runs, which its own engine ends once it finds the lease lost.
        stands(engine, goal_id, host_pid=os.getpid())
        first.process.send_signal(signal.SIGCONT)
        while "has taken it over" not in (notice := first.told()):
            assert notice
        view = stands(engine, goal_id, "done")
        assert [(turn.number, turn.exit_code) for turn in view.turns] == [(1, None), (2, 0)]
        wait_until(lambda: kept(home, goal_id).status == "done")
    assert [line.split()[0] for line in (tmp_path / "ran").read_text().splitlines()] == ["1", "2"]


def test_who_has_lost_the_lease_writes_nothing_and_hosts_no_more(engine: Engine, home: Path, tmp_path: Path) -> None:
    told = Told(engine)
    goal_id = started(engine, "true", says({"verdict": "wait", "wait_for_seconds": 600}), cwd=str(tmp_path))
    parked(engine, goal_id)
    wait_until(lambda: kept(home, goal_id).waiting_until)
    engine.call("flush", lambda: engine.registry.writer.flush(PATIENCE)).result()
    path = home / "goals" / f"{goal_id}.json"
    before = path.read_bytes(), path.stat().st_mtime_ns
    connection = sqlite3.connect(home / "state.db", timeout=PATIENCE)
    with connection:  # as another that took it over while we stood still
        connection.execute("UPDATE turn_leases SET holder = ?", (str(ourselves()),))
    connection.close()
    engine.goal_pause(goal_id, "by who doesn't know yet").result()
    wait_until(lambda: [text for text in told.notices if "isn't run here any more" in text])
    view = stands(engine, goal_id, "active", host=f"process {os.getpid()}")
    assert view.turns_used == 1 and view.barrier is not None
    engine.call("flush", lambda: engine.registry.writer.flush(PATIENCE)).result()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_while_the_database_is_locked_no_turn_begins_it_is_said_and_it_heals(
    engine: Engine, home: Path, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "fifo")
    told = Told(engine)
    goal_id = started(engine, "echo >> ran; cat fifo; false", cwd=str(tmp_path), max_turns=2)
    wait_until(lambda: kept(home, goal_id).step_pid)
    script = """import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()"""
    locker = subprocess.Popen(
        [sys.executable, "-c", script, str(home / "state.db")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert locker.stdout is not None and locker.stdout.readline() == "locked\n"
    with (tmp_path / "fifo").open("w"):
        pass
    view = stands(engine, goal_id, running="", turns_used=1)
    wait_until(lambda: "another program keeps it locked" in seen(engine, goal_id).held_up)
    wait_until(lambda: [text for text in told.notices if "no turn of a goal runs" in text])
    refusal = engine.goal_start(GoalSpec(goal="x", step="true")).result()
    assert isinstance(refusal, Refused) and "another program keeps it locked" in refusal.error
    with Engine() as other:  # nor does a verb of somebody else, who can't say whether someone hosts it
        refusal = other.goal_pause(goal_id).result()
        assert isinstance(refusal, Refused) and "can't be said who hosts" in refusal.error
    assert seen(engine, goal_id).status == "active" and (tmp_path / "ran").read_text() == "\n"
    locker.communicate(timeout=PATIENCE)
    wait_until(lambda: (tmp_path / "ran").read_text() == "\n\n")
    assert seen(engine, goal_id).held_up == ""
    with (tmp_path / "fifo").open("w"):
        pass
    view = stands(engine, goal_id, "paused")
    assert view.turns_used == 2
    assert sum("can be used again" in text for text in told.notices) == 1


def test_a_damaged_database_is_made_anew_and_the_goal_goes_on_by_a_turn_of_its_own(home: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    with Engine(adopts_goals=True) as engine:
        told = Told(engine)
        goal_id = started(engine, "echo $JOBDECK_GOAL_TURN >> ran; cat fifo; false", cwd=str(tmp_path), max_turns=3)
        wait_until(lambda: kept(home, goal_id).step_pid)
        for suffix in ("", "-wal"):
            (home / f"state.db{suffix}.new").write_bytes(b"not a database " * 1000)
            (home / f"state.db{suffix}.new").rename(home / f"state.db{suffix}")
        with (tmp_path / "fifo").open("w"):
            pass
        wait_until(lambda: [text for text in told.notices if "was damaged" in text])
        stands(engine, goal_id, turns_used=2, host_pid=os.getpid())
        assert list(home.glob("state.db.corrupt-*"))
        wait_until(lambda: (tmp_path / "ran").read_text().split() == ["1", "2"])
        engine.goal_clear(goal_id).result()


def test_a_goal_of_another_machine_is_shown_with_its_host_and_left_alone(home: Path, tmp_path: Path) -> None:
    with Engine(adopts_goals=True) as engine:
        goal_id = started(engine, "true", says({"verdict": "wait", "wait_for_seconds": 600}), cwd=str(tmp_path))
        parked(engine, goal_id)
    elsewhere = ourselves()._replace(host="build1")
    until = time.time() + 100
    connection = sqlite3.connect(home / "state.db")
    with connection:
        row = (f"goal:{goal_id}", str(elsewhere), until - 300, until)
        connection.execute("INSERT OR REPLACE INTO turn_leases VALUES (?, ?, ?, ?)", row)
    connection.close()
    with Engine(adopts_goals=True) as engine:
        view = stands(engine, goal_id, host=f"process {elsewhere.pid} on build1")
        assert (view.host_pid, view.lease_until) == (0, until)
        refusal = engine.goal_pause(goal_id).result()
        assert isinstance(refusal, Refused) and "on build1" in refusal.error


def test_a_disk_that_hangs_holds_the_goal_up_queues_nothing_and_it_goes_on(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.registry.leasing._PROBE_SECONDS", 0.05)
    os.mkfifo(tmp_path / "fifo")
    goal_id = started(engine, "echo >> ran; cat fifo; false", cwd=str(tmp_path), max_turns=2)
    wait_until((tmp_path / "ran").exists)
    wait_until(lambda: seen(engine, goal_id).running)
    writer, answers = engine.registry.writer, threading.Event()
    engine.call("flush", lambda: writer.flush(PATIENCE)).result()
    with monkeypatch.context() as patch:  # while it hangs: a disk that is only slow has longer
        patch.setattr("engine.registry.leasing._ANSWER_SECONDS", 0.3)
        writer.run(answers.wait)
        with (tmp_path / "fifo").open("w"):
            pass
        wait_until(lambda: "the disk doesn't answer" in seen(engine, goal_id).held_up)
        for _again in range(5):
            refusal = engine.goal_start(GoalSpec(goal="x", step="true")).result()
            assert isinstance(refusal, Refused) and "the disk doesn't answer" in refusal.error
        assert len(writer._jobs) <= 1, "one question waits, however often it was asked"
        assert (tmp_path / "ran").read_text() == "\n"
    answers.set()
    wait_until(lambda: (tmp_path / "ran").read_text() == "\n\n")
    with (tmp_path / "fifo").open("w"):
        pass
    stands(engine, goal_id, "paused", turns_used=2)


def test_a_goal_found_while_the_database_is_locked_says_so_and_is_hosted_afterwards(home: Path, tmp_path: Path) -> None:
    with Engine() as first:
        goal_id = started(first, "true", says({"verdict": "wait", "wait_for_seconds": 600}), cwd=str(tmp_path))
        parked(first, goal_id)
        barrier = seen(first, goal_id).barrier
    locker = sqlite3.connect(home / "state.db", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    with Engine(adopts_goals=True) as engine:
        told = Told(engine)
        wait_until(lambda: [goal for goal in told.goals if "another program keeps it locked" in goal.held_up])
        assert told.goals[-1].host_pid == 0
        locker.close()
        view = stands(engine, goal_id, host_pid=os.getpid())
        assert view.held_up == "" and view.barrier == barrier
