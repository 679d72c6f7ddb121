"""The engine's side of the supervisor: there when it is needed, replaced when it dies, never in a loop (spec 3.3)."""

import asyncio
import os
import signal
from pathlib import Path

import psutil
import pytest
from living import alive
from waiting import wait_until

from engine import Engine, JobSpec, Settings
from engine.events import EngineNotice
from engine.ownership import supervisor


def supervisor_of(engine: Engine) -> int:
    return wait_until(lambda: engine.call("pid", lambda: engine.registry.supervisor.pid).result(), what="a supervisor")  # type: ignore[return-value]


def test_it_starts_with_the_first_job_and_goes_when_there_is_nothing_to_guard(no_fd_leak: None) -> None:
    with Engine(Settings(supervisor_idle_seconds=0.2)) as engine:
        assert engine.call("pid", lambda: engine.registry.supervisor.pid).result() is None
        session_id = engine.spawn(JobSpec(command="read x", stdin="pipe")).result().session_id
        process = psutil.Process(supervisor_of(engine))
        engine.close(session_id).result()
        engine.wait(session_id).result()
        wait_until(lambda: alive([process]) == [], what="the idle supervisor to go")
        wait_until(lambda: engine.call("pid", lambda: engine.registry.supervisor.pid).result() is None)
        engine.spawn(JobSpec(command="sleep 7415")).result()
        assert supervisor_of(engine) != process.pid


def test_a_killed_one_is_replaced_at_once_and_knows_every_group(engine: Engine) -> None:
    jobs = [psutil.Process(engine.spawn(JobSpec(command=f"exec sleep 741{n}")).result().pid) for n in (6, 7)]
    first = supervisor_of(engine)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: supervisor_of(engine) != first, what="another supervisor")
    assert len(alive(jobs)) == 2
    engine.registry.loop.call_soon_threadsafe(engine.registry.supervisor._let_go)
    wait_until(lambda: alive(jobs) == [], what="the new one to end what it was told of anew")


def test_one_that_ends_by_itself_isnt_started_in_a_loop(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "broken.sh"
    broken.write_text(f"echo x >>{tmp_path}/starts\nexit 7\n")
    monkeypatch.setattr(engine.registry.supervisor, "_path", broken)
    feed = engine.events()
    for number in range(5):
        engine.spawn(JobSpec(command=f"exec sleep 742{number}")).result()
        wait_until(lambda: engine.call("pid", lambda: engine.registry.supervisor.pid).result() is None)
    told = [event.text for event in feed.take() if isinstance(event, EngineNotice)]
    assert len(told) == 1 and "exit 7" in told[0]
    assert (tmp_path / "starts").read_text() == "x\n"


def test_starts_that_are_cancelled_at_the_engines_end_begin_no_other(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(_row: object) -> bool:
        await asyncio.Event().wait()
        return True

    monkeypatch.setattr(engine.registry.owned, "_record", hangs)
    for _ in range(2):
        engine.spawn(JobSpec(command="true"))
    wait_until(lambda: len(engine.registry.supervisor._groups) == 2, what="two jobs behind their gates")
    engine.shutdown()
    assert engine.registry.supervisor.pid is None


def test_the_script_carries_no_job_and_no_secret(engine: Engine) -> None:
    engine.spawn(JobSpec(command="sleep 7425")).result()
    process = psutil.Process(supervisor_of(engine))
    wait_until(lambda: str(supervisor.SCRIPT) in process.cmdline())
    assert set(process.environ()) <= {"PATH", "PWD", "OLDPWD", "SHLVL", "_"}
    assert os.getpgid(process.pid) == os.getsid(process.pid) == process.pid
