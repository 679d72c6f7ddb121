"""When engine and supervisor died together: who is left is named, goes on if stopped, and is ended on request."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from living import alive, command, stopped
from owners import Owner, owner
from patient import patient
from waiting import wait_until

from engine import Engine, JobSpec, Settings
from engine.config import Settings as Figures
from engine.events import EngineNotice
from engine.ownership.ledger import Ledger, Row, boot_id
from engine.ownership.leftovers import find_leftovers
from engine.process.identity import identify

JOB = f"proc_{os.getpid()}_"
"""How ids begin here: the same tests may run side by side, and who carries an id is ended."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def orphaned(home: Path) -> Iterator[Owner]:
    """An owner whose supervisor was killed with it: all its jobs live on."""
    with owner(home) as dying:
        os.kill(dying.process.pid, signal.SIGSTOP)  # or it would start another
        os.kill(dying.supervisor, signal.SIGKILL)
        os.kill(dying.process.pid, signal.SIGKILL)
        dying.process.wait()
        yield dying
        for process in dying.family():
            process.kill()


def doctor(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tui.cli.main", "doctor", *words],
        capture_output=True,
        check=False,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def test_the_doctor_names_who_is_left_and_ends_them(orphaned: Owner) -> None:
    # A terminal that is hung up ends some; nobody ends the others.
    wait_until(lambda: "sleep 7702" not in orphaned.leaves())
    control = subprocess.Popen(["sleep", "7801"], start_new_session=True)
    try:

        def named() -> set[int]:
            """Without the supervisor of the jobdeck that is one of the jobs."""
            told = doctor()
            assert told.returncode == 1  # without a terminal it doesn't ask, and ends nobody
            return {
                int(line.split()[0])
                for line in told.stdout.splitlines()
                if line.startswith(" ") and "supervisor.sh" not in line
            }

        wait_until(lambda: named() == {process.pid for process in orphaned.family()}, what="all to be named")
        assert len(orphaned.family()) > 10

        ended = doctor("--end")
        assert (ended.returncode, ended.stdout.splitlines()[-1]) == (0, "Ended.")
        assert not orphaned.family()
        assert control.poll() is None
        assert "\nNothing is left behind" in doctor().stdout
    finally:
        control.kill()
        control.wait()


def test_the_next_engine_lets_go_on_who_was_left_stopped_and_tells(orphaned: Owner, home: Path) -> None:
    held = next(process for process in orphaned.family() if command(process) == "sleep 7706")
    held.suspend()
    wait_until(lambda: stopped([held]))
    with Engine(Settings(supervisor_kill_seconds=0.1)) as engine:
        feed = engine.events()
        wait_until(lambda: not stopped(orphaned.family()), what="all to go on")
        assert alive([held])
        said: list[str] = []

        def told() -> bool:
            said.extend(one.text for one in feed.take() if isinstance(one, EngineNotice))
            return any("jobdeck doctor" in text for text in said)

        wait_until(told, what="the word that they are left")


def test_living_engines_have_no_leftovers_and_rows_of_dead_ones_go(home: Path) -> None:
    child = subprocess.Popen(["sleep", "7802"], start_new_session=True)
    began = identify(child.pid)
    assert began is not None
    stranger = Row(
        pid=child.pid, start_time=began.start_time - 1, pgid=child.pid, owner_pid=1, owner_start=0, boot=boot_id()
    )
    earlier_boot = Row(pid=child.pid, start_time=began.start_time, pgid=child.pid, owner_pid=1, owner_start=0, boot="x")
    try:
        ledger = Ledger(home, print)
        home.chmod(0o700)
        assert ledger.change(lambda rows: [stranger, earlier_boot], 1)
        with Engine(patient()) as engine:
            started = engine.spawn(JobSpec(command="(setsid sleep 7803 &); sleep 7804")).result()
            assert find_leftovers(ledger, Figures().escape_keep) == []
            wait_until(lambda: [row.pid for row in ledger.rows()] == [started.pid], what="the dead rows to go")
            engine.kill(started.session_id, escaped=True).result()
        assert child.poll() is None
        assert ledger.rows() == ()
    finally:
        child.kill()
        child.wait()


def test_who_is_meant_to_live_on_is_told_apart(home: Path) -> None:
    env = {**os.environ, "JOBDECK_SESSION_ID": f"{JOB}gone"}
    agent = subprocess.Popen(["bash", "-c", "exec -a ssh-agent bash -c 'sleep 7805; true'"], env=env)
    plain = subprocess.Popen(["sleep", "7806"], env=env)
    elsewhere = subprocess.Popen(["sleep", "7807"], env={**env, "JOBDECK_HOME": "/another"})
    try:
        home.chmod(0o700)
        wait_until(lambda: len(psutil.Process(agent.pid).children()) == 1)

        def found() -> dict[int, bool]:
            return {one.identity.pid: one.kept for one in find_leftovers(Ledger(home, print), Figures().escape_keep)}

        (inside,) = psutil.Process(agent.pid).children()
        wait_until(lambda: found() == {agent.pid: True, inside.pid: True, plain.pid: False}, what="three to be found")
    finally:
        for one in psutil.Process(agent.pid).children():
            one.kill()
        for process in (agent, plain, elsewhere):
            process.kill()
            process.wait()
