"""One process of a home at a time takes over what a dead engine left (spec 3.6)."""

import sqlite3
from pathlib import Path

import pytest
from barriers import Told
from held import Deck, adopted
from patient import patient
from waiting import wait_until

from engine import Engine
from engine.ownership.claimant import is_dead, ourselves
from engine.store.leases import Lease, Leases
from engine.store.state_db import StateDb


@pytest.fixture
def left(home: Path) -> str:
    """A job that a dead engine left running."""
    with Deck() as deck:
        session_id = deck.start(command="read x", stdin="pipe")
        deck.kill()
    return session_id


def test_while_another_recovers_a_second_waits_and_takes_over_what_that_one_left(
    home: Path, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = Leases(StateDb(home / "state.db", print), str(ourselves()), ttl=300, is_dead=is_dead)
    assert another.try_acquire("recoverer") is not None
    claims: list[str] = []
    try_acquire = Leases.try_acquire

    def counted(leases: Leases, key: str) -> Lease | None:
        claims.append(key)
        return try_acquire(leases, key)

    monkeypatch.setattr(Leases, "try_acquire", counted)
    with Engine(patient()) as engine:
        wait_until(lambda: claims.count("recoverer") > 2)
        assert left not in engine.registry.jobs
        another.release("recoverer")
        adopted(engine, left)
        engine.kill(left, now=True).result()
    assert another.get_holder("recoverer") is None, "it let go with its end, though its process lives on"
    another.close()


def test_a_recoverer_that_was_killed_is_in_nobody_s_way(home: Path, left: str) -> None:
    with Deck() as deck:
        deck.call("list")
        deck.kill()
    with Engine(patient()) as engine:
        adopted(engine, left)
        engine.kill(left, now=True).result()


def test_while_the_database_is_locked_nothing_is_taken_over_and_it_is_said(home: Path, left: str) -> None:
    Leases(database := StateDb(home / "state.db", print), "x", ttl=300, is_dead=is_dead).try_acquire("other")
    database.close()
    locker = sqlite3.connect(home / "state.db", isolation_level=None)
    locker.execute("BEGIN IMMEDIATE")
    with Engine(patient()) as engine:
        told = Told(engine)
        wait_until(lambda: [text for text in told.notices if "another program keeps it locked" in text])
        assert left not in engine.registry.jobs
        locker.close()
        adopted(engine, left)
        engine.kill(left, now=True).result()
