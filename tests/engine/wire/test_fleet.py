"""Engines of several processes as one: found, shown, steered, dropped (spec 4.1)."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from viewing import Viewing
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec
from engine.events import EngineNotice, Event, JobView, Resync, Snapshot
from engine.replay import Replay
from engine.results import Found, Killed, Polled
from engine.wire import fleet as fleets
from engine.wire.address import run_folder
from engine.wire.client import RemoteEngine
from engine.wire.fleet import Fleet
from engine.wire.link import wire_loop
from engine.wire.messages import Hello
from engine.wire.server import Server

OTHER = """
import sys
from engine import Engine, JobSpec
from engine.wire.server import Server
with Engine() as engine, Server(engine, "serve"):
    for line in sys.argv[1:]:
        print(engine.spawn(JobSpec(command=line, stdin="pipe")).result().session_id, flush=True)
    sys.stdin.read()
"""


class Other:
    """An engine in a process of its own, with jobs."""

    def __init__(self, *lines: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OTHER, *lines], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.jobs = [self.process.stdout.readline().strip() for _ in lines]

    def end(self) -> None:
        """As by closing it."""
        self.process.communicate(timeout=PATIENCE)


class Seen:
    """What a console knows by a fleet's events."""

    def __init__(self, fleet: Fleet) -> None:
        self.feed = fleet.events()
        self.jobs: dict[str, JobView] = {}
        self.said: list[str] = []
        self.lost: list[str] = []

    def look(self) -> dict[str, JobView]:
        for event in self.feed.take():
            self._take(event)
        return self.jobs

    def _take(self, event: Event) -> None:
        if isinstance(event, Snapshot | Resync):
            self.jobs = {job.session_id: job for job in event.jobs}
        elif isinstance(job := getattr(event, "job", None), JobView):
            self.jobs[job.session_id] = job
            if job.completion_reason == "lost":
                self.lost.append(job.session_id)
        elif isinstance(event, EngineNotice):
            self.said.append(event.text)


@pytest.fixture
def fleet(engine: Engine) -> Iterator[Fleet]:
    with Server(engine, "console") as server, Fleet(engine, server.path) as together:
        yield together


def test_jobs_of_another_process_are_seen_and_steered(fleet: Fleet) -> None:
    seen = Seen(fleet)
    own = fleet.spawn(JobSpec(command="echo mine; sleep 7701")).result().session_id
    other = Other("seq 1 1000; read x; echo got $x", "sleep 7702")
    try:
        wait_until(lambda: set(seen.look()) == {own, *other.jobs}, what="all three jobs")
        assert seen.jobs[own].engine == ""
        assert seen.jobs[other.jobs[0]].engine == f"serve · {other.process.pid}"
        viewing = Viewing(fleet, other.jobs[0])
        assert isinstance(fleet.poll(other.jobs[0]).result(), Polled)
        fleet.submit(other.jobs[0], "this").result()
        assert viewing.ended.wait(PATIENCE)
        replay = viewing.items[0]
        assert isinstance(replay, Replay)
        assert "".join([*replay.pieces, *(getattr(item, "text", "") for item in viewing.items)]).endswith("got this\n")
        assert {row.session_id for row in fleet.list().result().processes} == {own, *other.jobs}
        found = fleet.search("got this").result()
        assert isinstance(found, Found) and [line.session_id for line in found.lines] == [other.jobs[0]]
        assert isinstance(fleet.kill(other.jobs[1]).result(), Killed)
        wait_until(lambda: seen.look()[other.jobs[1]].completion_reason == "killed")
    finally:
        other.end()
    wait_until(lambda: set(seen.look()) == {own}, what="the other's jobs to be gone from sight")
    assert any("has gone" in text for text in seen.said)


def test_who_is_there_before_is_found_too_and_a_killed_one_is_dropped(engine: Engine) -> None:
    other = Other("sleep 7703")
    try:
        with Fleet(engine) as fleet:
            seen = Seen(fleet)
            wait_until(lambda: set(seen.look()) == set(other.jobs))
            os.kill(other.process.pid, signal.SIGKILL)
            wait_until(lambda: not seen.look(), what="its job to be gone from sight")
            assert seen.said[-1:] == [f"serve · {other.process.pid} has gone, with 1 running job"]
            assert seen.lost == other.jobs and not fleet.others()
    finally:
        other.end()


def test_who_gives_no_answer_at_first_is_asked_again(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[float] = []

    def counted(path: Path, hello: Hello, *, timeout: float = 5.0) -> RemoteEngine:
        tries.append(timeout)
        return RemoteEngine(path, hello, timeout=0.2 if len(tries) == 1 else PATIENCE)

    monkeypatch.setattr(fleets, "RemoteEngine", counted)
    other = Other("sleep 7704")
    try:
        os.kill(other.process.pid, signal.SIGSTOP)  # the kernel lets us in; nobody says hello
        with Fleet(engine) as fleet:
            seen = Seen(fleet)
            wait_until(lambda: len(tries) > 1, what="another try")
            os.kill(other.process.pid, signal.SIGCONT)
            wait_until(lambda: set(seen.look()) == set(other.jobs))
            assert len(tries) == 2 and len(fleet.others()) == 1
    finally:
        os.kill(other.process.pid, signal.SIGCONT)
        other.end()


def test_a_look_in_the_moment_of_connecting_makes_no_second_connection(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[Path] = []

    def counted(path: Path, hello: Hello, *, timeout: float = 5.0) -> RemoteEngine:
        tries.append(path)
        return RemoteEngine(path, hello, timeout=timeout)

    class Looked(set[Path]):
        """When a path leaves it, the folder is looked at just then."""

        def discard(self, element: object) -> None:
            super().discard(element)
            wire_loop().call_soon_threadsafe(together._look)
            time.sleep(0.3)

    monkeypatch.setattr(fleets, "RemoteEngine", counted)
    with Fleet(engine) as together:
        together._trying = Looked()
        seen = Seen(together)
        other = Other("sleep 7705")
        try:
            wait_until(lambda: set(seen.look()) == set(other.jobs))
            assert len(tries) == 1
        finally:
            other.end()


def test_the_socket_of_a_dead_engine_is_swept(fleet: Fleet) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = run_folder() / f"serve-{dead.pid}-abcd.sock"
    left.touch()
    wait_until(lambda: not left.exists())
    assert not fleet.others()
