"""Leases: one holder at a time over all processes, whatever happens to them (spec 3.6)."""

import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from waiting import PATIENCE

from engine.ownership.claimant import is_dead, ourselves
from engine.store.leases import Lease, LeaseLost, Leases
from engine.store.state_db import StateDb, StateDbTrouble

TTL = 300.0

CLAIMANT = """
import sys, time
from pathlib import Path
from engine.ownership.claimant import is_dead, ourselves
from engine.store.leases import LeaseLost, Leases
from engine.store.state_db import StateDb, StateDbTrouble
leases = Leases(StateDb(Path(sys.argv[1]), print), str(ourselves()), ttl=float(sys.argv[2]), is_dead=is_dead)
print("ready", flush=True)
for line in sys.stdin:
    verb, key = line.split()
    while True:
        try:
            answer = getattr(leases, verb)(key)
        except LeaseLost as error:
            answer = f"lost: {error}"
        except StateDbTrouble:
            continue  # a machine so slow that others took a second each
        break
    print(answer, flush=True)
"""


class Other:
    """A claimant in a process of its own."""

    def __init__(self, path: Path, ttl: float = TTL) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", CLAIMANT, str(path), str(ttl)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.hear() == "ready"

    def say(self, verb: str, key: str = "k") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{verb} {key}\n")
        self.process.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def ask(self, verb: str, key: str = "k") -> str:
        self.say(verb, key)
        return self.hear()

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "state.db"


@pytest.fixture
def others() -> Iterator[list[Other]]:
    made: list[Other] = []
    yield made
    for other in made:
        other.end()


class Wall:
    """A clock on the wall that a test moves."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


def claimant(path: Path, wall: Wall | None = None, told: list[str] | None = None) -> Leases:
    """A claimant in this process, that reads its own clock."""
    report = (told if told is not None else []).append
    return Leases(StateDb(path, report), str(ourselves()), ttl=TTL, is_dead=is_dead, wall=wall or time.time)


# -- the table --------------------------------------------------------------------------------------------------------


def test_the_database_is_private_and_holds_the_promised_table(path: Path) -> None:
    leases = claimant(path)
    assert leases.get_holder("k") is None and not path.exists()
    lease = leases.try_acquire("k")
    assert lease is not None and lease.expires_at - lease.acquired_at == TTL
    for suffix in ("", "-wal", "-shm"):
        assert stat.S_IMODE(path.with_name(path.name + suffix).stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    other = sqlite3.connect(path)
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    columns = [(row[1], row[5]) for row in other.execute("PRAGMA table_info(turn_leases)")]
    assert columns == [("key", 1), ("holder", 0), ("acquired_at", 0), ("expires_at", 0)]
    assert other.execute("SELECT * FROM turn_leases").fetchall() == [tuple(lease)]
    other.close()
    leases.close()


def test_only_the_holder_refreshes_releases_and_writes(path: Path) -> None:
    ours, theirs = claimant(path), claimant(path)
    assert ours.try_acquire("k") is not None and theirs.try_acquire("k") is None
    for verb in (theirs.refresh, theirs.release):
        with pytest.raises(LeaseLost, match=r"'s$"):
            verb("k")
    with pytest.raises(LeaseLost), theirs.held("k"):
        raise AssertionError("the block of a lost holder is never entered")
    assert ours.refresh("k").holder == ours.holder
    ours.release("k")
    with pytest.raises(LeaseLost, match="nobody"):
        ours.refresh("k")
    assert theirs.try_acquire("k") is not None and theirs.try_acquire("other") is not None
    ours.close()
    theirs.close()


def test_while_one_writes_what_only_the_holder_may_nobody_can_take_it(path: Path, others: list[Other]) -> None:
    ours = claimant(path)
    ours.try_acquire("k")
    others.append(Other(path, ttl=0.0))
    with ours.held("k"):
        others[0].say("try_acquire")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            _locker(path)
    assert others[0].hear() == "None"
    ours.close()


def _locker(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
    except BaseException:
        connection.close()
        raise
    return connection


# -- processes --------------------------------------------------------------------------------------------------------


def test_of_eight_processes_that_race_exactly_one_wins_each_time(path: Path, others: list[Other]) -> None:
    others += [Other(path) for _number in range(8)]
    winners = set()
    for number in range(200):
        for other in others:
            other.say("try_acquire", f"key{number}")
        won = [other for other in others if other.hear() != "None"]
        assert len(won) == 1
        winners.add(won[0].process.pid)
        if number % 2:
            assert won[0].ask("release", f"key{number}") == "None"
    assert len(winners) > 1


def test_a_killed_holder_s_lease_is_free_at_once_even_as_a_zombie(path: Path, others: list[Other]) -> None:
    others += [Other(path), Other(path)]
    assert others[0].ask("try_acquire") != "None"
    assert others[1].ask("try_acquire") == "None"
    others[0].signal(signal.SIGKILL)
    os.waitid(os.P_PID, others[0].process.pid, os.WEXITED | os.WNOWAIT)
    assert others[1].ask("try_acquire") != "None"


def test_a_stopped_holder_past_its_time_finds_its_lease_lost(path: Path, others: list[Other]) -> None:
    wall = Wall()
    wall.now = time.time()
    ours = claimant(path, wall)
    others.append(Other(path))
    assert others[0].ask("try_acquire") != "None"
    others[0].signal(signal.SIGSTOP)
    others[0].say("refresh")
    wall.now += TTL - 5
    assert ours.try_acquire("k") is None
    wall.now += 10
    assert ours.try_acquire("k") is not None
    others[0].signal(signal.SIGCONT)
    assert others[0].hear() == f"lost: k is {ours.holder}'s"
    assert ours.get_holder("k") is not None
    ours.close()


@pytest.mark.parametrize("place", ["another host", "another boot", "another namespace", "no holder at all"])
def test_only_of_a_holder_that_can_be_seen_it_is_said_that_it_is_dead(path: Path, place: str) -> None:
    child = subprocess.Popen(["true"])
    child.wait()
    gone = ourselves()._replace(pid=child.pid, start_time=1)
    holder = {
        "another host": str(gone._replace(host="elsewhere")),
        "another boot": str(gone._replace(boot="00000000")),
        "another namespace": str(gone._replace(namespace="1")),
        "no holder at all": "somebody",
    }[place]
    assert is_dead(str(gone)) and is_dead(holder) == (place == "another boot")
    their = Leases(StateDb(path, print), holder, ttl=TTL, is_dead=is_dead)
    their.try_acquire("k")
    their.close()
    ours = claimant(path)
    assert (ours.try_acquire("k") is not None) == (place == "another boot")
    ours.close()


def test_a_forked_child_keeps_nobody_away(path: Path) -> None:
    """Whatever its parent was doing when it forked: here, making the database or claiming."""
    forks = f"""import os, sys, time
from pathlib import Path
from engine.ownership.claimant import is_dead, ourselves
from engine.store.leases import Leases
from engine.store.state_db import StateDb, _has_table
import engine.store.state_db as module
children = []
def fork():
    child = os.fork()
    if not child:
        time.sleep(600)
    children.append(child)
def has_table(connection):
    if not children:
        fork()
    return _has_table(connection)
module._has_table = has_table
leases = Leases(StateDb(Path(sys.argv[1]), print), str(ourselves()), ttl={TTL}, is_dead=is_dead)
leases.try_acquire("k")
with leases.held("k"):
    fork()
    print(*children, flush=True)
    time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", forks, str(path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    children = [int(word) for word in parent.stdout.readline().split()]
    try:
        parent.kill()
        parent.wait()
        ours = claimant(path)
        assert len(children) == 2 and ours.try_acquire("k") is not None
        ours.close()
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
        parent.stdout.close()


# -- a database in trouble --------------------------------------------------------------------------------------------


def test_a_locked_database_grants_nothing_says_so_and_heals(path: Path, others: list[Other]) -> None:
    ours = claimant(path)
    ours.try_acquire("k")
    ours.close()
    script = """import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA locking_mode = EXCLUSIVE")
connection.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
sys.stdin.read()"""
    locker = subprocess.Popen(
        [sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert locker.stdout is not None and locker.stdout.readline() == "locked\n"
    for verb in (ours.try_acquire, ours.refresh, ours.release, ours.get_holder):
        with pytest.raises(StateDbTrouble, match="another program keeps it locked"):
            verb("k")
    locker.communicate(timeout=PATIENCE)
    assert ours.refresh("k").holder == ours.holder
    ours.close()


@pytest.mark.parametrize("damage", ["no database", "a page", "the header", "empty"])
def test_a_damaged_database_is_moved_aside_and_made_anew_and_told(path: Path, damage: str) -> None:
    told: list[str] = []
    ours, theirs = claimant(path, told=told), claimant(path, told=told)
    ours.try_acquire("k")
    ours.close()
    whole = path.read_bytes()
    broken = bytearray(whole)
    match damage:
        case "no database":
            broken = bytearray(b"not a database " * 500)
        case "a page":
            broken[4096:4196] = b"\xff" * 100
        case "the header":
            broken[:16] = b"SQLite format 9\0"
        case _:
            broken = bytearray()
    path.write_bytes(broken)
    assert ours.try_acquire("new") is not None
    assert theirs.get_holder("k") is None and theirs.try_acquire("new") is None
    aside = list(path.parent.glob("state.db.corrupt-*"))
    if damage == "empty":  # that is what SQLite calls a new one: nothing is in it to be kept
        assert not aside and not told
    else:
        assert [file.read_bytes() for file in aside] == [broken]
        assert len(told) == 1 and aside[0].name in told[0]
    ours.close()
    theirs.close()


def test_of_many_that_find_it_damaged_one_moves_it_aside(path: Path, others: list[Other]) -> None:
    others += [Other(path) for _number in range(6)]
    for number in range(20):
        path.parent.mkdir(exist_ok=True)
        path.with_name("state.db.new").write_bytes(b"not a database " * 500)
        path.with_name("state.db.new").replace(path)
        for suffix in ("-wal", "-shm"):  # with the log of the one before, it would be whole again
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        for other in others:
            other.say("try_acquire", f"key{number}")
        answers = []
        for other in others:
            while "was damaged" in (answer := other.hear()):
                pass
            answers.append(answer)
        assert sum(answer != "None" for answer in answers) == 1
        assert len(list(path.parent.glob("state.db.corrupt-*"))) == number + 1


def test_who_has_the_old_file_open_decides_nothing_in_it(path: Path) -> None:
    ours, theirs = claimant(path), claimant(path)
    ours.try_acquire("k")
    path.rename(path.with_name("moved"))
    assert theirs.try_acquire("k") is not None
    with pytest.raises(LeaseLost):
        ours.refresh("k")
    ours.close()
    theirs.close()


def test_a_file_replaced_in_the_middle_of_a_transaction_undoes_it(path: Path) -> None:
    ours = claimant(path)
    ours.try_acquire("k")
    with pytest.raises(StateDbTrouble, match="replaced"), ours.held("k"):
        path.rename(path.with_name("moved"))
    ours.close()


@pytest.mark.parametrize("what", ["a folder in its place", "a link in its place", "the home is a file"])
def test_a_place_that_can_not_be_used_is_said_with_what_to_do(path: Path, what: str) -> None:
    if what == "the home is a file":
        path.parent.write_text("in the way")
    else:
        path.parent.mkdir()
        if what == "a folder in its place":
            path.mkdir()
        else:
            path.symlink_to(path.parent / "elsewhere")
    ours = claimant(path)
    with pytest.raises(StateDbTrouble, match=r"can't be used: .*; see that it is yours"):
        ours.try_acquire("k")
    ours.close()
    if what == "the home is a file":
        path.parent.unlink()
    elif what == "a folder in its place":
        path.rmdir()
    else:
        assert not (path.parent / "elsewhere").exists()
        path.unlink()
    assert ours.try_acquire("k") is not None
    ours.close()


# -- any order --------------------------------------------------------------------------------------------------------


class AnyOrder(RuleBasedStateMachine):
    """Claimants, deaths and a moving clock against a model: a dictionary."""

    names = st.sampled_from("abc")
    keys = st.sampled_from("xy")

    @initialize()
    def begin(self) -> None:
        self.wall = Wall()
        self.dead: set[str] = set()
        self.model: dict[str, Lease] = {}
        self.folder = Path(tempfile.mkdtemp(prefix="jobdeck-leases-"))
        self.claimants = {
            name: Leases(
                StateDb(self.folder / "state.db", print),
                name,
                ttl=TTL,
                is_dead=self.dead.__contains__,
                wall=self.wall,
            )
            for name in "abc"
        }

    @rule(name=names, key=keys)
    def try_acquire(self, name: str, key: str) -> None:
        held = self.model.get(key)
        free = held is None or held.expires_at <= self.wall.now or held.holder in self.dead
        lease = self.claimants[name].try_acquire(key)
        if held is not None and held.holder == name:
            assert lease == held._replace(expires_at=self.wall.now + TTL)
        else:
            assert lease == (Lease(key, name, self.wall.now, self.wall.now + TTL) if free else None)
        if lease is not None:
            self.model[key] = lease

    @rule(name=names, key=keys, verb=st.sampled_from(["refresh", "release", "write"]))
    def use(self, name: str, key: str, verb: str) -> None:
        leases, held = self.claimants[name], self.model.get(key)
        ours = held is not None and held.holder == name
        try:
            if verb == "refresh":
                leases.refresh(key)
            elif verb == "release":
                leases.release(key)
            else:
                with leases.held(key):
                    pass
        except LeaseLost:
            assert not ours
            return
        assert ours and held is not None
        if verb == "release":
            del self.model[key]
        else:
            self.model[key] = held._replace(expires_at=self.wall.now + TTL)

    @rule(seconds=st.sampled_from([1.0, TTL / 3, TTL - 1, TTL, 10 * TTL, -50.0]))
    def time_goes_by(self, seconds: float) -> None:
        self.wall.now += seconds

    @rule(name=names, dead=st.booleans())
    def dies(self, name: str, dead: bool) -> None:
        (self.dead.add if dead else self.dead.discard)(name)

    @rule(name=names)
    def reopens(self, name: str) -> None:
        self.claimants[name].close()

    @invariant()
    def all_agree(self) -> None:
        for leases in getattr(self, "claimants", {}).values():
            assert {key: leases.get_holder(key) for key in "xy" if key in self.model} == self.model

    def teardown(self) -> None:
        for leases in getattr(self, "claimants", {}).values():
            leases.close()
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = settings(max_examples=40)
