"""The ledger loses no row to another process, and delays nobody for long; what is adopted dies with us or is let go."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import psutil
import pytest
from living import alive, tree_of
from patient import patient
from waiting import wait_until

from engine import Engine, JobSpec, Settings
from engine.events import EngineNotice
from engine.ownership.bookkeeper import Bookkeeper
from engine.ownership.ledger import Ledger, Row
from engine.process.identity import SignalRefused, identify
from engine.store.lock import FileLock


def row(number: int, owner: int = 1) -> Row:
    return Row(pid=number, start_time=number, pgid=number, owner_pid=owner, owner_start=0)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path))
    return tmp_path


def rows(home: Path) -> tuple[Row, ...]:
    return Ledger(home, print).rows()


STARTS = """
import sys
from engine import Engine, JobSpec, Settings
with Engine(Settings(ledger_wait_seconds=30.0)) as engine:
    calls = [engine.spawn(JobSpec(argv=("sleep", "7601"))) for _ in range(15)]
    for call in calls:
        call.result()
    print("started", flush=True)
    sys.stdin.readline()
"""


def test_three_processes_with_fifteen_starts_each_leave_45_rows(home: Path) -> None:
    owners = [
        subprocess.Popen([sys.executable, "-c", STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    for owner in owners:
        assert owner.stdout is not None and owner.stdout.readline() == "started\n"
    found = wait_until(lambda: rows(home) if len(rows(home)) >= 45 else (), what="every start's row")
    assert len(found) == 45
    assert {one.owner_pid for one in found} == {owner.pid for owner in owners}
    assert all(identify(one.pid) == one.identity and one.this_boot for one in found)
    assert oct((home / "ledger.json").stat().st_mode)[-3:] == "600"
    for owner in owners:
        owner.communicate("")
    assert rows(home) == ()


def test_a_stalled_holder_of_the_lock_delays_a_start_and_loses_nothing(home: Path) -> None:
    home.chmod(0o700)
    lock = FileLock(home / "ledger.lock")
    assert lock.acquire()
    with Engine(Settings(ledger_wait_seconds=0.3)) as engine:
        feed = engine.events()
        began = time.monotonic()
        started = engine.spawn(JobSpec(argv=("sleep", "7602"))).result()
        assert time.monotonic() - began >= 0.3
        assert rows(home) == ()
        told = [event.text for event in feed.take() if isinstance(event, EngineNotice)]
        assert any("ledger" in text for text in told)
        lock.release()
        wait_until(lambda: [one.pid for one in rows(home)] == [started.pid], what="the row to be written after all")
    assert rows(home) == ()


def test_many_changes_at_once_are_all_kept(home: Path) -> None:
    keepers = [Bookkeeper(Ledger(home, print), 20.0, print) for _ in range(4)]

    def fill(number: int) -> None:
        for place in range(50):
            keepers[number].record(row(1000 * (number + 1) + place, number))
            if place % 2:
                keepers[number].strike(1000 * (number + 1) + place - 1)

    threads = [threading.Thread(target=fill, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for keeper in keepers:
        keeper.close(30)
    assert sorted(one.pid for one in rows(home)) == [
        1000 * (number + 1) + place for number in range(4) for place in range(1, 50, 2)
    ]


def test_a_ledger_that_cant_be_read_is_kept_aside(home: Path) -> None:
    (home / "ledger.json").write_text('{"rows": [{"pid": "half')
    said: list[str] = []
    ledger = Ledger(home, said.append)
    assert ledger.change(lambda before: [*before, row(5)], 1)
    assert [one.pid for one in ledger.rows()] == [5]
    assert len(said) == 1 and len(list(home.glob("ledger.json.corrupt-*"))) == 1


def test_a_row_tells_whose_it_is(home: Path) -> None:
    with Engine(patient()) as engine:
        started = engine.spawn(JobSpec(command="sleep 7603")).result()
        (found,) = rows(home)
        assert (found.session_id, found.pgid, found.owner_pid) == (started.session_id, started.pid, os.getpid())
        assert msgspec.json.decode((home / "ledger.json").read_bytes())["version"] == 1


@pytest.fixture
def groups() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Process groups that something else has started."""
    made = [subprocess.Popen(["bash", "-c", "sleep 7604 & sleep 7605; true"], start_new_session=True) for _ in range(2)]
    wait_until(lambda: all(len(tree_of(one.pid)) == 3 for one in made))
    families = [process for one in made for process in tree_of(one.pid)]
    yield made
    for process in families:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    for one in made:
        one.wait()


def test_adopted_groups_die_with_us_and_released_ones_live(groups: list[subprocess.Popen[bytes]]) -> None:
    ours, released = groups
    families = [tree_of(one.pid) for one in groups]
    with Engine(Settings(supervisor_kill_seconds=0.3)) as engine:
        owned = engine.registry.owned
        engine.call("own", lambda: owned.own_process_groups([ours.pid, released.pid])).result()
        engine.call("release", lambda: owned.release_process_groups([released.pid])).result()
        assert len(alive(families[0])) == 3
    wait_until(lambda: alive(families[0]) == [], what="the adopted group to end")
    assert len(alive(families[1])) == 3


def test_a_group_is_let_go_once_it_is_empty(groups: list[subprocess.Popen[bytes]], engine: Engine) -> None:
    group = groups[0].pid
    owned = engine.registry.owned
    leader, *others = tree_of(group)
    engine.call("own", lambda: owned.own_process_groups([group])).result()
    engine.call("release", lambda: owned.release_process_group_once_empty(group)).result()
    leader.kill()
    leader.wait()
    assert engine.call("guards", lambda: owned.supervisor.guards(group)).result()
    for other in others:
        other.kill()
    wait_until(lambda: not engine.call("guards", lambda: owned.supervisor.guards(group)).result())


def test_what_must_never_be_owned_is_refused(engine: Engine, groups: list[subprocess.Popen[bytes]]) -> None:
    owned = engine.registry.owned
    for group in (0, 1, -1, os.getpgrp()):
        with pytest.raises(SignalRefused):
            engine.call("own", lambda group=group: owned.own_process_groups([groups[0].pid, group])).result()  # type: ignore[misc]
    os.kill(groups[1].pid, signal.SIGKILL)
    groups[1].wait()
    with pytest.raises(ProcessLookupError):
        engine.call("own", lambda: owned.own_process_groups([groups[0].pid, groups[1].pid])).result()
    assert engine.call("guards", lambda: owned.supervisor.guards(groups[0].pid)).result() is False
