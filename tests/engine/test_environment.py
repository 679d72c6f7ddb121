"""What a job starts with: terminal, signals, descriptors, environment, arguments (cases D01, D03, D04)."""

import os
import re
import signal
from pathlib import Path

import pytest
from living import command, tree_of
from waiting import wait_until

from engine import Engine, JobSpec, Settings, StartError
from engine.events import Snapshot

ODD = "a.b-c"
_OF_THE_C_LIBRARY = 0b11 << 31
"""Signals 32 and 33 are its own; no program can set them."""


def output_of(engine: Engine, spec: JobSpec) -> str:
    session_id = engine.spawn(spec).result().session_id
    engine.wait(session_id).result()
    return str(engine.log(session_id).result().to_dict()["output"])


def bash(script: str, **how: object) -> JobSpec:
    return JobSpec(argv=("bash", "-c", script), **how)  # type: ignore[arg-type]


def test_a_pty_job_has_a_controlling_terminal(engine: Engine) -> None:
    script = "test -t 0 && test -t 1 && test -t 2 && exec 3<>/dev/tty && echo CTTY-OK"
    assert output_of(engine, bash(script, pty=True)) == "CTTY-OK\n"


def test_ctrl_c_on_its_terminal_interrupts_it(engine: Engine) -> None:
    session_id = engine.spawn(bash("echo up; sleep 7351", pty=True)).result().session_id
    wait_until(lambda: "up" in engine.poll(session_id).result().to_dict()["output_preview"])
    engine.write(session_id, "\x03").result()
    assert engine.wait(session_id).result().to_dict()["exit_code"] == -signal.SIGINT


@pytest.mark.parametrize("pty", [True, False])
def test_signals_have_their_defaults_and_none_is_blocked(engine: Engine, pty: bool) -> None:
    script = "yes | head -1; echo ${PIPESTATUS[0]}; grep -E 'Sig(Ign|Blk)' /proc/self/status"
    before = [signal.signal(number, signal.SIG_IGN) for number in (signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM)]
    try:
        output = output_of(engine, bash(script, pty=pty))
    finally:
        for number, handler in zip((signal.SIGHUP, signal.SIGPIPE, signal.SIGTERM), before, strict=True):
            signal.signal(number, handler)
    assert output.split("\n")[:2] == ["y", "141"]
    masks = [int(mask, 16) & ~_OF_THE_C_LIBRARY for mask in re.findall(r"Sig\w+:\s*(\w+)", output)]
    assert masks == [0, 0]


@pytest.mark.parametrize("pty", [True, False])
def test_no_descriptor_of_ours_or_of_another_job_leaks(engine: Engine, pty: bool) -> None:
    os.set_inheritable(leaky := os.open("/etc/passwd", os.O_RDONLY), True)
    try:
        with Engine() as late:  # a new engine seals what this process has open by now
            for number in range(20):
                late.spawn(JobSpec(argv=("sleep", "7353"), pty=number % 2 == 0, stdin="pipe")).result()
            listing = output_of(late, bash("exec ls -l /proc/self/fd", pty=pty))
    finally:
        os.close(leaky)
    # 3 is the folder that ls itself reads.
    assert re.findall(r" (\d+) -> ", listing) == ["0", "1", "2", "3"]


def test_the_environment_is_ours_less_what_is_private_plus_what_was_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "JOBDECK_TOKEN": "t",
        "JOBDECK_CONVERSATION": "c",
        "SECRET_A": "s",
        "KEPT": "k",
        "GONE": "g",
    }.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(ODD, "odd")
    with Engine(Settings(env_block=("SECRET_A",))) as engine:
        spec = JobSpec(argv=("env",), env={"ADDED": "a b\n$c", "GONE": None})
        session_id = engine.spawn(spec).result().session_id
        engine.wait(session_id).result()
        output = engine.log(session_id).result().to_dict()["output"]
    lines = output.split("\n")
    assert {"KEPT=k", f"{ODD}=odd", "ADDED=a b", "$c", "PYTHONUNBUFFERED=1", f"JOBDECK_SESSION_ID={session_id}"} <= set(
        lines
    )
    assert f"JOBDECK_HOME={os.environ['JOBDECK_HOME']}" in lines
    assert not [line for line in lines if line.startswith(("JOBDECK_TOKEN", "JOBDECK_CONV", "SECRET_A", "GONE"))]


def test_a_terminal_job_gets_a_terminals_environment(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    monkeypatch.delenv("PAGER", raising=False)
    monkeypatch.setenv("GIT_PAGER", "mine")
    script = 'echo "$TERM|$COLORTERM|$PAGER|$GIT_PAGER|$COLUMNS|"'
    assert output_of(engine, bash(script, pty=True)) == "xterm-256color|truecolor|cat|mine||\n"


def test_the_folder_is_the_one_asked_for(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "with blank; $x '日本'"
    folder.mkdir()
    assert output_of(engine, bash("pwd", cwd=str(folder))) == f"{folder}\n"


def test_a_missing_folder_is_an_error_unless_the_ancestor_is_asked_for(engine: Engine, tmp_path: Path) -> None:
    missing = str(tmp_path / "gone" / "deeper")
    with pytest.raises(StartError, match="gone/deeper"):
        engine.spawn(bash("pwd", cwd=missing)).result()
    with Engine(Settings(cwd_fallback="ancestor")) as lenient:
        started = lenient.spawn(bash("pwd", cwd=missing)).result()
        assert started.cwd_note is not None and str(tmp_path) in started.cwd_note
        lenient.wait(started.session_id).result()
        assert lenient.log(started.session_id).result().to_dict()["output"] == f"{tmp_path}\n"


NASTY = ["", " ", "a b", "'", '"', "$HOME", "`id`", "\\", "\n", "*", "-n", "--", "日本 👩‍👩‍👧", "a=b", ";", "\x7f\x01"]


def test_arguments_arrive_unchanged(engine: Engine) -> None:
    spec = JobSpec(argv=("python3", "-c", "import sys; print(ascii(sys.argv[1:]))", *NASTY))
    assert output_of(engine, spec).strip() == ascii(NASTY)


def test_a_compound_background_leaves_no_waiting_shell(engine: Engine) -> None:
    started = engine.spawn(JobSpec(command="true && sleep 7354 & read go; echo on", stdin="pipe")).result()
    wait_until(lambda: "sleep 7354" in map(command, tree_of(started.pid)), what="what is in the background to run")
    engine.submit(started.session_id, "").result()
    engine.wait(started.session_id).result()
    snapshot = engine.events().next()
    assert isinstance(snapshot, Snapshot)
    (job,) = snapshot.jobs
    assert [stray.command for stray in job.escaped] == ["sleep 7354"]
    assert job.command == "true && sleep 7354 & read go; echo on"  # as the caller wrote it
