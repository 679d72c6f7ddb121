"""What jobs' trees use, what waits for input, what is behind a job (spec 5.1)."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil
import pytest
from waiting import wait_until

from engine import Caller, Engine, JobSpec
from engine.process.identity import Identity
from engine.process.meter import Meter
from engine.process.survey import Survey, trees
from engine.process.table import Row, Table
from engine.results import Inspected, JobUse

T = TypeVar("T")

BUSY = "import os\nif os.fork():\n while True: pass\nelse:\n while True: pass"
LISTENS = (
    "import socket, sys; s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen(); "
    "print(s.getsockname()[1], flush=True); sys.stdin.read()"
)


def start(engine: Engine, spec: JobSpec) -> str:
    return engine.spawn(spec).result().session_id


def use_of(engine: Engine, session_id: str) -> JobUse | None:
    return next((one for one in engine.usage().result().jobs if one.session_id == session_id), None)


def until(engine: Engine, session_id: str, holds: Callable[[JobUse], bool], what: str) -> JobUse:
    seen: list[JobUse] = []

    def look() -> bool:
        used = use_of(engine, session_id)
        seen.extend([used] if used is not None else [])
        return used is not None and holds(used)

    wait_until(look, what=what)
    return seen[-1]


def inspected(engine: Engine, session_id: str) -> Inspected:
    answer = engine.inspect(session_id).result()
    assert isinstance(answer, Inspected)
    return answer


def test_a_trees_use_is_that_of_all_its_processes(engine: Engine) -> None:
    busy = start(engine, JobSpec(argv=(sys.executable, "-c", BUSY)))
    idle = start(engine, JobSpec(command="sleep 7301"))
    used = until(engine, busy, lambda one: one.processes == 2 and (one.cpu or 0.0) > 0.02, "both loops to be busy")
    members = [psutil.Process(engine.poll(busy).result().pid)]  # type: ignore[union-attr]
    members += members[0].children()
    assert used.rss == pytest.approx(sum(one.memory_info().rss for one in members), rel=0.5)
    assert until(engine, idle, lambda one: one.cpu == 0.0, "a sleep to use nothing").processes == 1


def test_a_prompt_waits_and_a_running_line_does_not(engine: Engine) -> None:
    asks = start(engine, JobSpec(command="printf 'Apply? [y/N] '; read x; sleep 7302", pty=True))
    pipe = start(engine, JobSpec(command="printf 'Apply? '; sleep 7303"))
    done = start(engine, JobSpec(command="echo over; sleep 7304", pty=True))
    busy = start(engine, JobSpec(command="printf 'thinking '; while :; do :; done", pty=True))
    until(engine, asks, lambda one: one.waiting, "the prompt to be taken for one")
    for other in (pipe, done, busy):
        used = use_of(engine, other)
        assert used is not None and not used.waiting
    engine.submit(asks, "y").result()
    until(engine, asks, lambda one: not one.waiting, "the answered prompt to wait no longer")


def test_a_stopped_tree_is_told(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="sleep 7305 & wait"))
    until(engine, session_id, lambda one: one.processes == 2 and not one.stopped, "both to run")
    engine.signal(session_id, "STOP").result()
    until(engine, session_id, lambda one: one.stopped, "the tree to be stopped")
    engine.signal(session_id, "CONT").result()
    until(engine, session_id, lambda one: not one.stopped, "the tree to go on")


def test_who_ended_and_what_others_run_is_not_told(engine: Engine) -> None:
    ended = start(engine, JobSpec(command="true"))
    engine.wait(ended).result()
    mine = engine.api(Caller(owner="conv_mine")).spawn(JobSpec(command="sleep 7306")).result().session_id
    theirs = start(engine, JobSpec(command="sleep 7307"))
    assert [one.session_id for one in engine.api(Caller(owner="conv_mine")).usage().result().jobs] == [mine]
    assert {one.session_id for one in engine.usage().result().jobs} <= {mine, theirs}


def test_looks_asked_for_at_once_are_one(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    start(engine, JobSpec(command="sleep 7308"))
    looks = 0
    all_asked = asyncio.Event()
    probe = engine.registry.probe
    survey = probe.survey

    async def counted(work: Callable[[Survey], T]) -> T:
        nonlocal looks
        looks += 1
        await all_asked.wait()
        return await survey(work)

    monkeypatch.setattr(probe, "survey", counted)
    calls = [engine.usage() for _ in range(20)]
    engine.post(all_asked.set)
    for call in calls:
        assert call.result().jobs
    assert looks == 1


def test_what_is_behind_a_job(engine: Engine, tmp_path: Path) -> None:
    line = f'exec 3>&1; {sys.executable} -c "{LISTENS}"'
    spec = JobSpec(
        command=line,
        cwd=str(tmp_path),
        stdin="pipe",
        env={"PORT": "8000", "API_TOKEN": "abcdefghijklmnopqrstuvwxyz", "GONE": None},
        watch_patterns=("ERROR",),
        notify_on_complete=False,
    )
    session_id = start(engine, spec)
    wait_until(lambda: engine.poll(session_id).result().to_dict()["output_preview"].strip().isdigit())
    port = int(engine.poll(session_id).result().to_dict()["output_preview"])
    told = inspected(engine, session_id)
    assert (told.status, told.cwd, told.pid) == ("running", str(tmp_path), told.processes[0].pid)
    assert told.env == {"PORT": "8000", "API_TOKEN": "abcdef...wxyz", "GONE": None}
    assert [one.depth for one in told.processes] == list(range(len(told.processes)))
    assert told.processes[-1].ports == (port,)
    assert all(one.holds_output and one.rss > 0 for one in told.processes)
    assert [(one.owner, one.patterns, one.hits) for one in told.watches] == [("", ("ERROR",), 0)]


def test_whom_an_ended_job_left_behind_is_told(engine: Engine) -> None:
    session_id = start(engine, JobSpec(command="sleep 7309 & exit 3"))
    engine.wait(session_id).result()
    # Until it is that program, it is the shell's other half.
    wait_until(lambda: [one.command for one in inspected(engine, session_id).processes] == ["sleep 7309"])
    told = inspected(engine, session_id)
    assert told.status == "exited"
    os.kill(told.processes[0].pid, signal.SIGKILL)
    wait_until(lambda: not inspected(engine, session_id).processes, what="nobody to be left")


def test_an_unknown_job_is_not_found(engine: Engine) -> None:
    assert engine.inspect("proc_000000000000").result().to_dict()["status"] == "not_found"


def test_each_process_is_one_jobs_and_a_recycled_leader_nobodys() -> None:
    rows = [Row(10, 1, 10, 10, "S", 1.0), Row(11, 10, 10, 10, "S", 2.0), Row(20, 11, 20, 20, "R", 3.0)]
    leaders = {"a": Identity(10, 1.0), "b": Identity(20, 3.0), "c": Identity(11, 7.0)}
    measured = Meter().measure(trees(Table({row.pid: row for row in rows}), {"b": [rows[2]]}, leaders))
    assert {name: use.processes for name, use in measured.items()} == {"a": 3, "b": 0, "c": 0}
