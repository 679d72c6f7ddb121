"""Every end is told once, with its true code and a label that tells ends apart (cases A10, A11, A18, A07, A01)."""

import os
import signal
import time
from pathlib import Path

import pytest
from living import command, tree_of
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, StartError
from engine.events import Event, JobExited, JobView
from engine.results import Killed, Refused, Waited


def run_to_end(engine: Engine, spec: JobSpec) -> Waited:
    session_id = engine.spawn(spec).result().session_id
    answer = engine.wait(session_id).result()
    assert isinstance(answer, Waited)
    assert answer.status == "exited"
    return answer


def view_of(engine: Engine, session_id: str) -> JobView:
    feed = engine.events()
    snapshot = feed.next()
    feed.close()
    assert hasattr(snapshot, "jobs")
    return next(job for job in snapshot.jobs if job.session_id == session_id)


@pytest.mark.parametrize("shell", ["/bin/bash", "/bin/dash"])
@pytest.mark.parametrize("pty", [False, True])
@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("bash -c 'kill -SEGV $$'", "SIGSEGV"),
        ("bash -c 'kill -TERM $$'", "SIGTERM"),
        ("bash -c 'exit 255'", "exit 255"),
        ("bash -c 'exit 0'", "exit 0"),
    ],
)
def test_four_ends_have_four_labels(engine: Engine, line: str, label: str, pty: bool, shell: str) -> None:
    # A second command keeps the shell from exec'ing the first, so that it reports 128+N.
    ended = run_to_end(engine, JobSpec(command=f"{line}; exit $?", pty=pty, env={"SHELL": shell}))
    assert view_of(engine, ended.session_id).label == label
    direct = run_to_end(engine, JobSpec(argv=("bash", "-c", line[len("bash -c '") : -1]), pty=pty))
    assert view_of(engine, direct.session_id).label == label


def test_a_signal_death_is_minus_n(engine: Engine) -> None:
    assert run_to_end(engine, JobSpec(argv=("bash", "-c", "kill -SEGV $$"))).exit_code == -signal.SIGSEGV


@pytest.mark.parametrize("pty", [False, True])
@pytest.mark.parametrize(
    ("spec", "code", "says"),
    [
        ({"argv": ("/no/such/cmd",)}, 127, "No such file"),
        ({"argv": ("no-such-program-7431",)}, 127, "No such file"),
        ({"argv": ("/etc/passwd",)}, 126, "Permission denied"),
        ({"argv": ("/etc",)}, 126, "directory"),
        ({"command": "true", "env": {"SHELL": "/no/such/shell"}}, 127, "shell"),
        ({"command": "true", "cwd": "/no/such/folder"}, None, "/no/such/folder"),
        ({"command": "true", "cwd": "/etc/passwd"}, None, "not a folder"),
    ],
)
def test_what_cannot_start_says_why_and_leaves_nothing(
    no_fd_leak: None, engine: Engine, spec: dict[str, object], code: int | None, says: str, pty: bool
) -> None:
    with pytest.raises(StartError, match=says) as raised:
        engine.spawn(JobSpec(**spec, pty=pty)).result()  # type: ignore[arg-type]
    view = view_of(engine, raised.value.session_id)
    assert view.completion_reason == view.termination_source == "failed_start"
    assert view.label == "failed to start"
    assert view.exit_code == code
    assert view.pid is None


def test_a_script_with_a_missing_interpreter_is_a_failed_start(engine: Engine, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n")
    script.chmod(0o755)
    with pytest.raises(StartError, match="interpreter"):
        engine.spawn(JobSpec(argv=(str(script),))).result()


def test_a_shell_lines_own_127_is_a_normal_exit(engine: Engine) -> None:
    ended = run_to_end(engine, JobSpec(command="no-such-program-7431"))
    assert (ended.exit_code, ended.completion_reason) == (127, "exited")


def test_killing_an_ended_job_is_refused_and_signals_nothing(engine: Engine) -> None:
    session_id = run_to_end(engine, JobSpec(command="true")).session_id
    for _round in range(2):
        answer = engine.kill(session_id).result()
        assert isinstance(answer, Killed)
        assert (answer.status, answer.exit_code) == ("already_exited", 0)
    signalled = engine.signal(session_id, "TERM").result()
    assert isinstance(signalled, Refused)
    assert signalled.status == "already_exited"


@pytest.mark.parametrize("pty", [False, True])
def test_an_exit_is_seen_though_a_grandchild_holds_the_output(engine: Engine, pty: bool) -> None:
    feed = engine.events()
    started = engine.spawn(
        JobSpec(argv=("bash", "-c", "setsid sleep 7301 & echo started; exec sleep 7302"), pty=pty)
    ).result()
    wait_until(lambda: "sleep 7301" in map(command, tree_of(started.pid)), what="the grandchild")
    os.kill(started.pid, signal.SIGTERM)
    ended = engine.wait(started.session_id).result()
    assert isinstance(ended, Waited)
    assert ended.exit_code == -signal.SIGTERM
    view = _exited(feed.take(), started.session_id)
    assert view.label == "SIGTERM"
    assert [(stray.command, stray.holds_output) for stray in view.escaped] == [("sleep 7301", True)]
    os.kill(view.escaped[0].pid, signal.SIGKILL)
    wait_until(lambda: not view_of(engine, started.session_id).escaped, what="the stray's end to be noticed")


def test_a_daemonised_child_is_named_after_a_normal_exit(engine: Engine, tmp_path: Path) -> None:
    script = """
        (setsid sh -c 'echo $$ >pid; exec sleep 7309' >/dev/null 2>&1 &)
        until [ "$(tr '\\0' . <"/proc/$(cat pid)/cmdline")" = sleep.7309. ]; do sleep 0.01; done 2>/dev/null
    """
    ended = run_to_end(engine, JobSpec(argv=("bash", "-c", script), cwd=str(tmp_path)))
    assert ended.exit_code == 0
    escaped = view_of(engine, ended.session_id).escaped
    for stray in escaped:
        os.kill(stray.pid, signal.SIGKILL)
    assert [(stray.command, stray.holds_output) for stray in escaped] == [("sleep 7309", False)]


def test_a_child_that_closes_its_output_runs_until_it_exits(engine: Engine) -> None:
    started = engine.spawn(JobSpec(argv=("bash", "-c", "exec >&- 2>&-; read x; exit 9"), stdin="pipe")).result()
    assert engine.wait(started.session_id, 0.3).result().status == "timeout"
    engine.submit(started.session_id, "go").result()
    ended = engine.wait(started.session_id).result()
    assert isinstance(ended, Waited)
    assert ended.exit_code == 9


def test_uptime_stops_at_the_exit(engine: Engine) -> None:
    session_id = run_to_end(engine, JobSpec(command="true")).session_id
    first = engine.list().result().processes[0].uptime_seconds
    time.sleep(0.05)
    assert engine.list().result().processes[0].uptime_seconds == first
    assert engine.poll(session_id).result().status == "exited"


def test_two_hundred_short_jobs_end_once_each(no_fd_leak: None, engine: Engine) -> None:
    feed = engine.events()
    specs = [JobSpec(argv=("true",), pty=number % 2 == 0) for number in range(200)]
    started = [call.result().session_id for call in [engine.spawn(spec) for spec in specs]]
    seen: list[Event] = []

    def all_ended() -> bool:
        seen.extend(feed.take())
        return len(_ends(seen)) >= 200

    wait_until(all_ended, 3 * PATIENCE, what="200 ends")
    assert sorted(_ends(seen)) == sorted(started)


def test_short_jobs_leave_descriptors_and_processes_where_they_were(no_fd_leak: None, engine: Engine) -> None:
    engine.wait(engine.spawn(JobSpec(command="true", pty=True)).result().session_id).result()
    before = len(os.listdir("/proc/self/fd"))
    for number in range(100):
        session_id = engine.spawn(JobSpec(argv=("true",), pty=number % 3 == 0, stdin="pipe")).result().session_id
        engine.wait(session_id).result()
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before, what="as many descriptors as before")


def _ends(events: list[Event]) -> list[str]:
    return [event.job.session_id for event in events if isinstance(event, JobExited)]


def _exited(events: list[Event], session_id: str) -> JobView:
    return next(e.job for e in events if isinstance(e, JobExited) and e.job.session_id == session_id)
