"""Where there are no scopes, or no more, jobs run as usual; what is asked of systemd, and how often (spec 3.7)."""

import subprocess
import sys
from pathlib import Path

import pytest
from scoped import finished, host_settings, job_of, noticed, output
from user_manager import StandIn, stand_in
from waiting import PATIENCE

from engine import Engine, JobSpec, Settings
from engine.process.memory_bound import memory_bound


def test_an_engine_that_is_no_host_starts_nothing_in_scopes(standing: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("INVOCATION_ID", "JOBDECK_MEMORY_SCOPES", "SYSTEMD_EXEC_PID"):
        monkeypatch.setenv(name, "1")
    with Engine(Settings()) as engine:
        assert finished(engine, JobSpec(command="echo hello")) == "hello\n"
    assert standing.runs() == []


def test_without_systemd_jobs_run_as_usual_and_it_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stand_in(tmp_path, groups=False) as manager, Engine(host_settings()) as engine:
        manager.becomes("gone")
        started = [engine.spawn(JobSpec(command="echo hello")) for _ in range(4)]
        for call in started:
            session_id = call.result().session_id
            assert engine.wait(session_id, PATIENCE).result().to_dict()["exit_code"] == 0
            assert output(engine, session_id) == "hello\n"
            assert job_of(engine, session_id).scope is None
        assert len(manager.runs()) == 1


def test_the_answer_counts_for_its_time_yes_or_no(standing: StandIn) -> None:
    standing.becomes("gone")
    with Engine(host_settings(scope_answer_seconds=0.0)) as engine:
        first = engine.spawn(JobSpec(command="true")).result().session_id
        assert job_of(engine, first).scope is None
        standing.recovers("gone")
        second = engine.spawn(JobSpec(command="true")).result().session_id
        assert job_of(engine, second).scope is not None
        assert len(standing.runs()) == 3


def test_a_systemd_that_knows_no_policy_for_memory_is_asked_without(standing: StandIn) -> None:
    standing.becomes("old")
    with Engine(host_settings()) as engine:
        session_id = engine.spawn(JobSpec(command="true")).result().session_id
        assert job_of(engine, session_id).scope is not None
        assert ["OOMPolicy" in run for run in standing.runs()] == [True, False, False]


@pytest.mark.parametrize(
    ("how", "why"),
    [("gone-for-jobs", "Connection reset by peer"), ("unbounded-for-jobs", "its scope has no bound on memory")],
)
def test_a_way_into_the_scope_that_fails_after_all_costs_the_bound_and_not_the_job(
    standing: StandIn, how: str, why: str
) -> None:
    standing.becomes(how)
    with Engine(host_settings()) as engine:
        feed = engine.events()
        session_id = (
            engine.spawn(JobSpec(command="echo hello; echo x >>ran", cwd=str(standing.folder))).result().session_id
        )
        assert engine.wait(session_id, PATIENCE).result().to_dict()["exit_code"] == 0
        assert output(engine, session_id) == "hello\n"
        assert (standing.folder / "ran").read_text() == "x\n"
        job = job_of(engine, session_id)
        assert job.scope is None
        texts = noticed(feed)
        assert texts == [f"{job.name} runs without a bound on its memory: {why}"]
        standing.recovers(how)
        again = engine.spawn(JobSpec(command="true")).result().session_id
        assert job_of(engine, again).scope is not None


@pytest.mark.parametrize("pty", [False, True])
def test_a_systemd_that_hangs_holds_up_a_start_for_its_time_only(
    standing: StandIn, pty: bool, no_fd_leak: None
) -> None:
    with Engine(host_settings(scope_seconds=0.5)) as engine:
        assert finished(engine, JobSpec(command="echo warm")) == "warm\n"
        standing.becomes("slow")
        first = engine.spawn(JobSpec(command="echo hello", pty=pty))
        other = engine.poll("0000")
        assert other.result().status == "not_found"  # the engine's loop goes on meanwhile
        session_id = first.result().session_id
        assert engine.wait(session_id, PATIENCE).result().to_dict()["exit_code"] == 0
        assert output(engine, session_id).split() == ["hello"]
        assert finished(engine, JobSpec(command="echo next")) == "next\n"
        count = len(standing.runs())
        assert finished(engine, JobSpec(command="echo last")) == "last\n"
        assert len(standing.runs()) == count  # no for an answer counts as long as yes


def test_the_doctor_says_whether_memory_is_bounded_or_why_not(standing: StandIn) -> None:
    def told() -> str:
        words = [sys.executable, "-m", "tui.cli.main", "doctor"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return next(line for line in done.stdout.splitlines() if line.startswith("Memory bounds: "))

    bound = memory_bound(Settings())
    assert told() == (
        f"Memory bounds: systemd 252 can run each job in a scope of its own, bounded to {bound} ({bound.why}). "
        "'jobdeck serve' does so; others have memory_scopes off."
    )
    standing.becomes("gone")
    assert "no systemd scopes here: Failed to connect to bus: No medium found" in told()
