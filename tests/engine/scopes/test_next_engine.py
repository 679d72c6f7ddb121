"""Scopes outlive their engines: the next one finds them again, or ends what is left in them (spec 3.7)."""

from pathlib import Path

import psutil
import pytest
from held import Deck
from living import alive
from scoped import BOUND, EATS, finished, host_settings, job_of, noticed, output, scope_of
from user_manager import StandIn
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, Settings
from engine.events import EngineNotice, Recovered
from engine.process.cgroup import cgroup_of
from engine.process.table import command_of


def test_a_job_that_outlives_its_engine_keeps_its_scope(manager: StandIn | None, tmp_path: Path) -> None:
    script = f'echo up; read -r _; python3 -c "{EATS}"; echo code $?; read -r _'
    with Deck(memory_scopes=True, memory_max=BOUND, scope_seconds=PATIENCE) as deck:
        session_id = deck.start(command=script, stdin="pipe")
        assert deck.look(session_id, "[job.scope.unit, job.pid in job.members()]") == [
            f"jobdeck-job-{session_id}.scope",
            True,
        ]
        holder = deck.look(session_id, "job.held.holder_pid")
        assert not cgroup_of(holder).named(f"jobdeck-job-{session_id}.scope")
        deck.kill()
    with Engine(Settings(term_grace_seconds=0.4, kill_proof_seconds=PATIENCE)) as engine:
        wait_until(lambda: session_id in engine.call("look", lambda: [*engine.registry.jobs]).result())
        scope = scope_of(engine, session_id)
        assert job_of(engine, session_id).pid in scope.members()
        assert scope.bound.size == BOUND
        engine.submit(session_id, "go").result()
        wait_until(lambda: "code 137" in output(engine, session_id))
        feed = engine.events()
        assert engine.kill(session_id).result().status == "killed"
        texts = noticed(feed)
        assert ["a process of it was killed by the memory bound of 64 MiB" in text for text in texts] == [True]
        wait_until(lambda: not scope.stands(), what="the scope to be gone")


@pytest.mark.parametrize(
    ("how", "why"),
    [("gone-for-jobs", "Connection reset by peer"), ("unbounded-for-jobs", "its scope has no bound on memory")],
)
def test_a_held_job_whose_way_into_the_scope_fails_runs_without(standing: StandIn, how: str, why: str) -> None:
    standing.becomes(how)
    with Engine(host_settings()) as engine:
        feed = engine.events()
        spec = JobSpec(command="echo hello; echo x >>ran", cwd=str(standing.folder), persist_on_release=True)
        assert finished(engine, spec) == "hello\n"
        assert (standing.folder / "ran").read_text() == "x\n"
        texts = noticed(feed)
        assert [text.split(": ")[-1] for text in texts] == [why]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def hide(deck: Deck, home: Path, name: str) -> psutil.Process:
    """One of that name who lives in the scope of a job, but carries no id and has left session and parentage."""
    script = f"env -i setsid bash -c 'exec -a {name} sleep 7407' & read -r _"
    started = deck.call("spawn", {"command": script, "stdin": "pipe"})
    session_id, folder = started["session_id"], cgroup_of(started["pid"]).unified
    assert folder is not None

    def found() -> list[psutil.Process]:
        pids = map(int, (folder / "cgroup.procs").read_text().split())
        return [psutil.Process(pid) for pid in pids if command_of(pid) == f"{name} 7407"]

    file = home / "processes.json"
    wait_until(lambda: file.exists() and f"jobdeck-job-{session_id}.scope" in file.read_text())
    return wait_until(found)[0]


def test_who_hid_in_the_scope_of_a_dead_engines_job_is_ended_by_the_next_unless_meant_to_live_on(
    manager: StandIn | None, home: Path
) -> None:
    with Deck(memory_scopes=True, memory_max=BOUND, scope_seconds=PATIENCE) as deck:
        agent, worker = hide(deck, home, "ssh-agent"), hide(deck, home, "worker")
        deck.kill()
    with Engine(Settings(supervisor_kill_seconds=0.1)):
        wait_until(lambda: alive([worker]) == [])
    assert agent.is_running()
    agent.kill()


def test_a_scope_that_will_not_stop_keeps_its_entry_for_the_next_start(standing: StandIn, home: Path) -> None:
    with Deck(memory_scopes=True, memory_max=BOUND, scope_seconds=PATIENCE) as deck:
        worker = hide(deck, home, "worker")
        deck.kill()
    standing.becomes("stubborn")
    with Engine(Settings(supervisor_kill_seconds=0.1)) as engine:
        feed, inbox = engine.events(), engine.notices()
        told: list[object] = []

        def heard() -> bool:
            """Both, by the console or, if they came before that, from what was kept."""
            told.extend([*feed.take(), *inbox.take()])
            texts = [event.text for event in told if isinstance(event, EngineNotice)]
            found = any("tries again at its next start" in text for text in texts)
            return found and any(isinstance(event, Recovered) for event in told)

        wait_until(heard)
    assert worker.is_running()
    assert '"scope_only":true' in (home / "processes.json").read_text()
    standing.recovers("stubborn")
    with Engine(Settings(supervisor_kill_seconds=0.1)) as engine:
        feed = engine.events()
        wait_until(lambda: alive([worker]) == [])
        wait_until(lambda: not (home / "processes.json").exists(), what="the last entry to be gone")
        assert [event for event in feed.take() if isinstance(event, Recovered)] == []  # told once
