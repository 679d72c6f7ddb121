"""``jobdeck doctor`` says who holds what, and why nobody can hold anything (spec 3.6)."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from engine.ownership.claimant import is_dead, ourselves
from engine.store.leases import Leases
from engine.store.state_db import StateDb


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "state.db"


def doctor() -> tuple[int, list[str]]:
    words = [sys.executable, "-m", "tui.cli.main", "doctor"]
    done = subprocess.run(words, capture_output=True, check=False, text=True, stdin=subprocess.DEVNULL)
    return done.returncode, [line for line in done.stdout.splitlines() if line.startswith("Lease")]


def claim(path: Path, holder: str, key: str, ttl: float) -> None:
    leases = Leases(StateDb(path, print), holder, ttl=ttl, is_dead=is_dead)
    leases.try_acquire(key)
    leases.close()


def test_in_a_home_without_goals_it_says_so_and_makes_nothing(path: Path) -> None:
    code, said = doctor()
    assert (code, said) == (0, ["Leases: none; no goal was ever begun in this home."]) and not path.exists()


def test_it_names_who_holds_what_what_has_expired_and_what_is_free(path: Path) -> None:
    us = ourselves()
    child = subprocess.Popen(["true"])
    child.wait()
    claim(path, str(us), "goal:goal_a", 300)
    claim(path, str(us), "goal:goal_b", -60)
    claim(path, str(us._replace(pid=child.pid)), "goal:goal_c", 300)
    claim(path, str(us._replace(host="build1")), "recoverer", 300)
    code, said = doctor()
    assert code == 0 and said[0] == f"Leases: {path} works; 4 held."
    assert said[1].startswith(f"Lease of goal:goal_a: process {us.pid}, until ")
    assert said[2].startswith(f"Lease of goal:goal_b: process {us.pid}, expired at ")
    assert said[3] == f"Lease of goal:goal_c: process {child.pid}, which is gone: it is free."
    assert said[4].startswith(f"Lease of recoverer: process {us.pid} on build1, until ")


def test_a_locked_database_is_trouble_and_a_damaged_one_is_made_anew(path: Path) -> None:
    claim(path, "somebody", "goal:goal_a", 300)
    locker = sqlite3.connect(path, isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    code, said = doctor()
    assert code == 1 and "another program keeps it locked" in said[0] and said[0].endswith("runs until it can.")
    locker.close()
    path.write_bytes(b"not a database " * 500)
    code, said = doctor()
    assert code == 0 and "was damaged" in said[0] and "nothing held" in said[1]
    assert len(list(path.parent.glob("state.db.corrupt-*"))) == 1
