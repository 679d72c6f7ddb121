"""A job in a systemd scope is the job it would be without, and dies alone when it eats all memory (spec 3.7)."""

import psutil
import pytest
from living import alive
from scoped import BOUND, EATS, finished, host_settings, job_of, noticed, output, scope_of
from user_manager import StandIn
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, Settings
from engine.events import EngineNotice
from engine.process.cgroup import cgroup_of
from engine.process.identity import identify
from engine.process.table import command_of
from engine.registry.job import Job
from engine.results import Killed

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
    assert noticed(told) == [expected]
    assert noticed(feed) == [expected]
    assert host.poll(other).result().to_dict()["status"] == "running"


def test_a_child_that_is_killed_by_the_bound_is_told_though_its_job_goes_on(host: Engine) -> None:
    script = f'python3 -c "{EATS}"; echo "code $?"; python3 -c "{EATS}"; exit 3'
    feed = host.events()
    session_id = host.spawn(JobSpec(argv=("bash", "-c", script))).result().session_id
    ended = host.wait(session_id, PATIENCE).result().to_dict()
    assert ended["exit_code"] == 3
    assert "code 137" in output(host, session_id)
    texts = noticed(feed)
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
        members = [one for pid in scope.members() if (one := living(pid)) is not None]
        answer = engine.kill(session_id, now=True).result()
        assert isinstance(answer, Killed)
        assert answer.status == "killed"
        assert scope.members() == []
        assert alive(members) == []
        wait_until(lambda: not scope.stands(), what="the scope to be stopped")
        assert standing.stops() == [scope.slice]


def living(pid: int) -> psutil.Process | None:
    """It, unless it has ended meanwhile."""
    try:
        return psutil.Process(pid)
    except psutil.NoSuchProcess:
        return None


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
        texts = wait_until(lambda: noticed(feed))
        unit = scope.unit
        assert texts == [
            f"{unit} of {job_of(engine, session_id).name} can't be stopped: Job for {scope.slice} timed out.; "
            "jobdeck tries again at its next start"
        ]
