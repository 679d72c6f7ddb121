"""A batch's completion is kept until its owner has it, whoever dies meanwhile, and is delivered once (spec 4.6)."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from agent_programs import configured, serving
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, Settings
from engine.delegation import ChildStatus
from engine.delegation_results import Delegated
from engine.events import BatchDone
from engine.ownership.conversations import open_conversations
from engine.store.home import home_folder
from engine.wire.client import RemoteEngine
from engine.wire.messages import Hello
from engine.wire.server import Server
from engine.wire.short import Short

ALICE = Caller(owner="conv_alice")
RECEIVER = """
import os, sys
from engine.wire.short import Short
short = Short(sys.argv[1], {"token": sys.argv[2]})
short.raw("notices", {})
print(short.next(60)["params"]["notices"][0]["batch"]["batch_id"], flush=True)  # in its hand, and not taken
sys.stdin.read()
"""


@pytest.fixture
def listening(settings: Settings) -> Iterator[Server]:
    with Engine(configuration=configured(settings)) as engine, Server(engine, "test") as server:
        yield server


def test_a_receiver_killed_before_it_took_it_then_it_is_delivered_once(listening: Server) -> None:
    token = open_conversations().begin().token
    with Short(listening.path, {"token": token}) as asks:
        given = asks.ask("delegate", {"tasks": ["say hi", "fail 2"], "agent": "standin"})
    receiver = subprocess.Popen(
        [sys.executable, "-c", RECEIVER, str(listening.path), token], stdin=-1, stdout=subprocess.PIPE, text=True
    )
    assert receiver.stdout is not None
    assert receiver.stdout.readline().strip() == given["batch_id"]
    receiver.kill()
    receiver.communicate()
    hello = Hello(version=1, token=token)
    with RemoteEngine(listening.path, hello) as next_one:
        told = next_one.notices().next(PATIENCE)
        assert isinstance(told, BatchDone) and told.batch.batch_id == given["batch_id"]
        assert [one.status for one in told.results] == ["done", "failed"]
        wait_until(lambda: _record(given["batch_id"])["delivered"])
    assert _record(given["batch_id"])["attempts"] == 1
    with RemoteEngine(listening.path, hello) as third:
        feed = third.notices()
        third.list().result()  # what there is has been sent before this is answered
        assert feed.take() == []


def test_the_engine_killed_before_delivery_then_the_next_one_delivers_once(tmp_path: Path) -> None:
    token = open_conversations().begin().token
    owner = Caller(owner=open_conversations().prove(token).id)
    with serving(tmp_path) as (pid, path):
        with Short(path, {"token": token}) as asks:
            batch_id = asks.ask("delegate", {"tasks": ["say hi"]})["batch_id"]
        wait_until(lambda: _record(batch_id)["batch"]["status"] == "done")
        os.kill(pid, signal.SIGKILL)
    with Engine() as engine:
        told = engine.api(owner).notices().next(PATIENCE)
        assert isinstance(told, BatchDone) and told.results[0].output == "hi\n"
        wait_until(lambda: _record(batch_id)["delivered"])
    with Engine() as engine:
        _settled(engine, batch_id)
        assert engine.api(owner).notices().take() == []


def test_the_engine_killed_in_the_midst_what_ran_has_failed_and_is_told_once(tmp_path: Path) -> None:
    token = open_conversations().begin().token
    owner = Caller(owner=open_conversations().prove(token).id)
    with serving(tmp_path) as (pid, path):
        with Short(path, {"token": token}) as asks:
            batch_id = asks.ask("delegate", {"tasks": ["say hi", "hang", "hang", "hang"]})["batch_id"]
        wait_until(
            lambda: [one["status"] for one in _record(batch_id)["batch"]["handles"]] == ["done", *["running"] * 3]
        )
        os.kill(pid, signal.SIGKILL)
    with Engine() as engine:
        feed = engine.api(owner).notices()
        told = feed.next(PATIENCE)
        assert isinstance(told, BatchDone)
        assert [one.status for one in told.results] == ["done", "failed", "failed", "failed"]
        assert told.results[0].output == "hi\n" and "engine that ran it has ended" in told.results[1].error
        (batch,) = engine.api(owner).agents().result().batches
        assert batch.count(ChildStatus.FAILED) == 3
    with Engine() as engine:
        _settled(engine, batch_id)
        assert engine.api(owner).notices().take() == []


def test_an_engine_that_is_quit_in_the_midst_leaves_word_of_it(settings: Settings) -> None:
    with Engine(configuration=configured(settings)) as engine:
        given = engine.api(ALICE).delegate(["say hi", "hang", "hang", "hang"], "standin").result()
        assert isinstance(given, Delegated)
        states = ["done", "running", "running", "running"]
        wait_until(lambda: [one["status"] for one in _record(given.batch_id)["batch"]["handles"]] == states)
    with Engine() as engine:
        told = engine.api(ALICE).notices().next(PATIENCE)
        assert isinstance(told, BatchDone) and told.results[0].output == "hi\n"
        assert {str(one.status) for one in told.results[1:]} <= {"failed", "cancelled"}
    with Engine() as engine:
        _settled(engine, given.batch_id)
        assert engine.api(ALICE).notices().take() == []


def test_two_engines_that_find_it_deliver_it_once_together(settings: Settings) -> None:
    with Engine(configuration=configured(settings)) as engine:
        given = engine.api(ALICE).delegate(["say hi"], "standin").result()
        assert isinstance(given, Delegated)
        wait_until(lambda: _record(given.batch_id)["batch"]["status"] == "done")
    with Engine() as one, Engine() as two:
        feeds = [one.api(ALICE).notices(), two.api(ALICE).notices()]
        for found in (one, two):
            _settled(found, "")
        got = wait_until(lambda: [notice for feed in feeds for notice in feed.take()])
        assert len(got) == 1
        assert [notice for feed in feeds for notice in feed.take()] == []


def test_eight_receivers_that_do_not_take_it_are_the_most(listening: Server) -> None:
    token = open_conversations().begin().token
    with Short(listening.path, {"token": token}) as asks:
        batch_id = asks.ask("delegate", {"tasks": ["say hi"], "agent": "standin"})["batch_id"]

    def attempts_are(count: int) -> bool:
        return bool(_record(batch_id)["attempts"] == count)

    for attempt in range(1, 9):
        with Short(listening.path, {"token": token}) as receiver:
            receiver.raw("notices", {})
            assert receiver.next(PATIENCE)["params"]["notices"][0]["batch"]["batch_id"] == batch_id
        wait_until(partial(attempts_are, attempt))
    wait_until(lambda: _record(batch_id)["delivered"])
    with Short(listening.path, {"token": token}) as asks:  # it isn't lost: who asks has it
        assert asks.ask("batch_result", {"batch_id": batch_id})["results"][0]["output"] == "hi\n"


def test_a_receiver_that_hangs_loses_it_to_another_after_its_time() -> None:
    settings = Settings(delivery_claim_seconds=0.2)
    with Engine(configuration=configured(settings)) as engine, Server(engine, "test") as server:
        token = open_conversations().begin().token
        with Short(server.path, {"token": token}) as hanging:
            hanging.raw("notices", {})
            hanging.ask("delegate", {"tasks": ["say hi"], "agent": "standin"})
            assert hanging.next(PATIENCE)["method"] == "notices"
            with RemoteEngine(server.path, Hello(version=1, continues=token)) as other:
                told = other.notices().next(PATIENCE)
                assert isinstance(told, BatchDone)
            hanging.tell("notices_taken", {"sequence": 10**9})  # too late, and nothing comes of it
            hanging.ask("list", {})


def _record(batch_id: str) -> Any:
    path = home_folder() / "delegations" / f"{batch_id}.json"
    wait_until(path.exists)
    return json.loads(path.read_text())


def _settled(engine: Engine, batch_id: str) -> None:
    """It has taken over what there was."""
    wait_until(lambda: any(one.batch_id == batch_id for one in engine.agents().result().batches) or not batch_id)
