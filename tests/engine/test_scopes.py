"""A job in a systemd scope is the job it would be without, and dies alone when it eats all memory (spec 3.7)."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from living import alive
from user_manager import StandIn, real_manager, stand_in
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, Settings
from engine.events import EngineNotice
from engine.process.cgroup import cgroup_of
from engine.process.identity import identify
from engine.process.memory_bound import memory_bound
from engine.process.scope import Scope
from engine.process.table import command_of
from engine.registry.job import Job
from engine.results import Killed

MIB = 1024**2
BOUND = 64 * MIB
EATS = "import sys; print('eating', flush=True); food = bytearray(300 << 20); print('full')"


def host_settings(**others: object) -> Settings:
    usual = {"memory_scopes": True, "memory_max": BOUND, "term_grace_seconds": 0.4, "kill_proof_seconds": PATIENCE}
    return Settings(**{**usual, **others})  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def no_manager() -> str:
    return real_manager()


@pytest.fixture(params=["systemd", "stand-in"])
def manager(request: pytest.FixtureRequest, tmp_path: Path, no_manager: str) -> Iterator[StandIn | None]:
    """The machine's user manager (None), and a stand-in for it, each in its turn."""
    if request.param == "stand-in":
        with stand_in(tmp_path) as standing:
            yield standing
    elif no_manager:
        pytest.skip(f"no user manager here, only a stand-in: {no_manager}")
    else:
        yield None


@pytest.fixture
def standing(tmp_path: Path) -> Iterator[StandIn]:
    """A stand-in that can be told to fail."""
    with stand_in(tmp_path) as manager:
        yield manager


@pytest.fixture
def host(manager: StandIn | None) -> Iterator[Engine]:
    """An engine that is meant to be a host."""
    with Engine(host_settings()) as running:
        yield running


def job_of(engine: Engine, session_id: str) -> Job:
    return engine.call("look", lambda: engine.registry.jobs[session_id]).result()


def scope_of(engine: Engine, session_id: str) -> Scope:
    scope = job_of(engine, session_id).scope
    assert scope is not None
    return scope


def output(engine: Engine, session_id: str) -> str:
    return str(engine.log(session_id).result().to_dict()["output"])


def finished(engine: Engine, spec: JobSpec) -> str:
    """Its output, once it has ended."""
    session_id = engine.spawn(spec).result().session_id
    assert engine.wait(session_id, PATIENCE).result().status == "exited"
    return output(engine, session_id)


SHAPE = """
read -r _ _ _ _ group session terminal foreground _ </proc/$$/stat
echo $$ $group $session $((terminal != 0)) $foreground; ls /proc/$$/fd; grep Sig.[gl] /proc/self/status; tty </dev/tty
"""


def shape(engine: Engine, *, pty: bool) -> tuple[Job, list[str]]:
    """A job that runs, and what it says of itself, its own pid put as PID."""
    session_id = engine.spawn(JobSpec(argv=("/bin/sh", "-c", SHAPE + "echo; sleep 7400"), pty=pty)).result().session_id
    wait_until(lambda: output(engine, session_id).endswith("\n\n"))
    job = job_of(engine, session_id)
    return job, [word.replace(str(job.pid), "PID") for word in output(engine, session_id).split() if "pts" not in word]


@pytest.mark.parametrize("pty", [False, True])
def test_a_job_in_a_scope_is_bounded_and_is_the_job_it_would_be_without(host: Engine, pty: bool) -> None:
    job, said = shape(host, pty=pty)
    assert said[:5] == ["PID", "PID", "PID", "1" if pty else "0", "PID" if pty else "-1"]
    with Engine(Settings()) as plain:
        assert shape(plain, pty=pty)[1] == said
    assert job.identity is not None
    assert identify(job.identity.pid) == job.identity
    assert job.scope is not None
    cgroup = cgroup_of(job.identity.pid)
    assert job.scope.unit == f"jobdeck-job-{job.session_id}.scope"
    assert cgroup.named(job.scope.unit)
    assert cgroup.memory_max() == BOUND
    assert job.identity.pid in job.scope.members()
    assert host.kill(job.session_id).result().status == "killed"


@pytest.mark.parametrize("version", [252, 254])
def test_a_command_arrives_as_it_was_written(standing: StandIn, version: int) -> None:
    standing.has_version(version)
    words = ("$HOME", "${HOME}", "$$", "%i", "%%", "a b", "-x", "--", "\\$HOME", "\\x41", "'q'", "", "ä\n")
    with Engine(host_settings()) as engine:
        said = finished(engine, JobSpec(argv=("printf", "<%s>", *words)))
        session_id = engine.spawn(JobSpec(command="echo token=sesame; printf '%s.' \"$0\"")).result().session_id
        engine.wait(session_id, PATIENCE).result()
        scope = job_of(engine, session_id).scope
    assert scope is not None
    assert said == "".join(f"<{word}>" for word in words)
    runs = standing.runs()
    assert len(runs) == 3, runs
    for run in runs:
        own = run.split(" -- ")[0]
        assert own.startswith("--user --scope --collect --quiet --no-ask-password ")
        assert ("--expand-environment=no" in own) is (version == 254)
        assert "OOMPolicy=continue" in own
        assert f"--property=MemoryAccounting=yes --property=MemoryMax={BOUND} --property=MemorySwapMax=0" in own
        assert "--description=jobdeck " in own  # else it were the command line, and in the journal
        assert "sesame" not in own
    assert scope.unit in runs[-1]


def test_a_job_has_the_environment_it_would_have_without(host: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBDECK_TEST_KEPT", "$HOME %i")
    wish = {"XDG_RUNTIME_DIR": None, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "odd-name": "x", "LANG": "C"}
    spec = JobSpec(command="env", env=wish)

    def lines(said: str) -> set[str]:
        changing = ("JOBDECK_SESSION_ID=", "_=", "SHLVL=")
        return {line for line in said.splitlines() if not line.startswith(changing)}

    with Engine(Settings()) as plain:
        assert lines(finished(host, spec)) == lines(finished(plain, spec))


def test_what_eats_all_memory_dies_alone_and_the_end_says_of_what(host: Engine) -> None:
    other = host.spawn(JobSpec(command="sleep 7401")).result().session_id
    mine = host.api(Caller("conv-a"))
    feed, told = host.events(), mine.notices()
    session_id = mine.spawn(JobSpec(argv=("python3", "-c", EATS))).result().session_id
    ended = host.wait(session_id, PATIENCE).result().to_dict()
    assert (ended["status"], ended["exit_code"], ended["completion_reason"]) == ("exited", -9, "exited")
    assert output(host, session_id).split() == ["eating"]
    expected = (
        f"{job_of(host, session_id).name}: a process of it was killed by the memory bound of 64 MiB (memory_max); "
        "let it use less, or raise memory_max"
    )
    assert [event.text for event in told.take() if isinstance(event, EngineNotice)] == [expected]
    assert [event.text for event in feed.take() if isinstance(event, EngineNotice)] == [expected]
    assert host.poll(other).result().to_dict()["status"] == "running"


def test_a_child_that_is_killed_by_the_bound_is_told_though_its_job_goes_on(host: Engine) -> None:
    script = f'python3 -c "{EATS}"; echo "code $?"; python3 -c "{EATS}"; exit 3'
    feed = host.events()
    session_id = host.spawn(JobSpec(argv=("bash", "-c", script))).result().session_id
    ended = host.wait(session_id, PATIENCE).result().to_dict()
    assert ended["exit_code"] == 3
    assert "code 137" in output(host, session_id)
    texts = [event.text for event in feed.take() if isinstance(event, EngineNotice)]
    assert [text for text in texts if "2 of its processes were killed by the memory bound of 64 MiB" in text] == texts
    assert texts


def test_a_normal_end_says_nothing_of_memory(host: Engine) -> None:
    feed = host.events()
    assert finished(host, JobSpec(command="echo hello")) == "hello\n"
    events = wait_until(lambda: [*feed.take()])
    assert [event for event in events if isinstance(event, EngineNotice)] == []


def test_a_fork_bomb_whose_children_hide_is_swept_by_its_scope(standing: StandIn) -> None:
    """They leave session and parentage, and carry no id of the job: only the scope knows whose they are."""
    bomb = "trap '' TERM; echo up; while :; do env -i setsid /bin/sh -c 'sleep 7402 & sleep 7402' & sleep 0.01; done"
    with Engine(host_settings(hold_rounds=1)) as engine:
        session_id = engine.spawn(JobSpec(argv=("bash", "-c", bomb))).result().session_id
        scope = scope_of(engine, session_id)
        wait_until(lambda: len(scope.members()) > 20)
        members = [psutil.Process(pid) for pid in scope.members() if psutil.pid_exists(pid)]
        answer = engine.kill(session_id, now=True).result()
        assert isinstance(answer, Killed)
        assert answer.status == "killed"
        assert scope.members() == []
        assert alive(members) == []
        wait_until(lambda: not scope.stands(), what="the scope to be stopped")
        assert standing.stops() == [scope.slice]


def test_who_has_escaped_is_named_by_the_scope_and_ended_only_on_request(host: Engine) -> None:
    script = "env -i setsid -f /bin/sleep 7403; echo up; sleep 7404"
    session_id = host.spawn(JobSpec(argv=("bash", "-c", script))).result().session_id
    wait_until(lambda: "up" in output(host, session_id))
    scope = scope_of(host, session_id)
    wait_until(lambda: any(command_of(pid) == "/bin/sleep 7403" for pid in scope.members()))
    answer = host.kill(session_id).result()
    assert isinstance(answer, Killed)
    assert [one.command for one in answer.escaped] == ["/bin/sleep 7403"]
    left = psutil.Process(answer.escaped[0].pid)
    assert scope.members() == [left.pid]  # the scope isn't stopped over its head
    again = host.kill(session_id, escaped=True).result()
    assert isinstance(again, Killed)
    assert [one.pid for one in again.escaped_ended] == [left.pid]
    wait_until(lambda: not scope.stands(), what="the scope to be gone")
    assert alive([left]) == []


def test_a_scope_that_will_not_stop_is_told_and_remembered(standing: StandIn) -> None:
    standing.becomes("stubborn")
    with Engine(host_settings()) as engine:
        session_id = engine.spawn(JobSpec(command="echo up; sleep 7405")).result().session_id
        feed = engine.events()
        scope = scope_of(engine, session_id)
        assert engine.kill(session_id).result().status == "killed"
        wait_until(lambda: scope.stuck)
        texts = wait_until(lambda: [event.text for event in feed.take() if isinstance(event, EngineNotice)])
        unit = scope.unit
        assert texts == [
            f"{unit} of {job_of(engine, session_id).name} can't be stopped: Job for {scope.slice} timed out.; "
            "jobdeck tries again at its next start"
        ]


# -- where it doesn't work -------------------------------------------------------------------------------------------


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


def test_a_way_into_the_scope_that_fails_after_all_costs_the_bound_and_not_the_job(standing: StandIn) -> None:
    standing.becomes("gone-for-jobs")
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
        texts = [event.text for event in feed.take() if isinstance(event, EngineNotice)]
        assert texts == [f"{job.name} runs without a bound on its memory: Connection reset by peer"]
        standing.recovers("gone-for-jobs")
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


# -- the bound -------------------------------------------------------------------------------------------------------


def test_the_bound_is_the_least_of_all_and_the_setting_only_tightens_it() -> None:
    half = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    limit = cgroup_of(os.getpid()).least_memory_max() or half
    usual = min(half, limit, 4 * 1024**3)
    assert memory_bound(Settings()).size == usual
    assert memory_bound(Settings(memory_max=usual * 2)) == memory_bound(Settings())
    tight = memory_bound(Settings(memory_max=BOUND))
    assert (tight.size, tight.why, tight.raisable, str(tight)) == (BOUND, "memory_max", True, "64 MiB")
    assert memory_bound(Settings(memory_ram_share=1e-3)).why == "0% of this machine's memory"


@pytest.mark.parametrize("wrong", [1, 64 * MIB - 1, -1])
def test_a_wrong_bound_is_a_clear_error(wrong: int) -> None:
    with pytest.raises(ValueError, match=rf"memory_max is {wrong}: .* at least 67108864 \(64 MiB\)"):
        Settings(memory_max=wrong)


def test_the_doctor_says_whether_memory_is_bounded_or_why_not(standing: StandIn) -> None:
    def told() -> str:
        words = [sys.executable, "-m", "tui.cli.main", "doctor"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return done.stdout.splitlines()[-1]

    bound = memory_bound(Settings())
    assert told() == (
        f"Memory bounds: systemd 252 can run each job in a scope of its own, bounded to {bound} ({bound.why}). "
        "This is for hosts: memory_scopes is off."
    )
    standing.becomes("gone")
    assert "no systemd scopes here: Failed to connect to bus: No medium found" in told()
