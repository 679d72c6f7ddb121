"""While a tree is told to end it holds still; who forks, leaves or stays alive is dealt with (spec 1.7)."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from freezing import Freezer
from living import alive, command, stopped, tree_of
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, Settings
from engine.events import JobView, Snapshot
from engine.process.identity import identify
from engine.process.probe import Look, Probe
from engine.process.teardown import Teardown
from engine.process.tree import Tree
from engine.results import Killed


def start(engine: Engine, argv: tuple[str, ...], *, pty: bool = False) -> tuple[str, list[psutil.Process]]:
    started = engine.spawn(JobSpec(argv=argv, pty=pty)).result()
    wait_until(lambda: "up" in engine.log(started.session_id).result().to_dict()["output"], what="the job to be up")
    return started.session_id, tree_of(started.pid)


def bash(engine: Engine, script: str, *, pty: bool = False) -> tuple[str, list[psutil.Process]]:
    return start(engine, ("bash", "-c", script), pty=pty)


def carriers(session_id: str) -> list[psutil.Process]:
    """Who carries a job's id, wherever it has gone."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get("JOBDECK_SESSION_ID") == session_id and alive([process]):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def killed(engine: Engine, session_id: str, *, now: bool = False, escaped: bool = False) -> Killed:
    answer = engine.kill(session_id, now=now, escaped=escaped).result()
    assert isinstance(answer, Killed)
    return answer


@pytest.mark.parametrize("pty", [False, True])
def test_no_shell_in_the_tree_runs_its_next_command(patient_engine: Engine, tmp_path: Path, pty: bool) -> None:
    # The inner shell has a hundred children: the first is told to end a while before the shell itself is.
    inner = f"for i in $(seq 100); do sleep 7321 & done; echo up; wait -n; : > {tmp_path}/next; wait"
    session_id, processes = bash(patient_engine, f"bash -c '{inner}'; : > {tmp_path}/last", pty=pty)
    assert len(processes) == 102
    assert killed(patient_engine, session_id).status == "killed"
    assert alive(processes) == []
    assert os.listdir(tmp_path) == []


def test_a_child_that_is_forked_on_the_way_out_dies_too(engine: Engine) -> None:
    on_term = "setsid bash -c \"trap '' TERM; while :; do sleep 0.05; done\" & sleep 0.1; exit"
    session_id, _ = bash(engine, f"trap '{on_term}' TERM; echo up; while :; do sleep 0.02; done")
    answer = killed(engine, session_id)
    assert (answer.status, answer.escaped) == ("killed", ())
    assert carriers(session_id) == []


BOMB = """
import mmap, os, sys, time
count = mmap.mmap(-1, 8)
def grow():
    while True:
        number = int.from_bytes(count[:8], "little")
        if number >= 1500:
            time.sleep(60)
        count[:8] = (number + 1).to_bytes(8, "little")
        if os.fork() == 0:
            os.setsid()
        if number == 60:
            print("up", flush=True)
        time.sleep(0.02)
grow()
"""


def test_a_fork_bomb_is_ended_whole(engine: Engine) -> None:
    session_id, _ = start(engine, (sys.executable, "-c", BOMB))
    assert killed(engine, session_id).status == "killed"
    assert carriers(session_id) == []


class FailingProbe(Probe):
    """A machine that can't be looked at for the second time."""

    looks = 0

    async def look(self) -> Look:
        self.looks += 1
        if self.looks > 1:
            raise OSError(24, "Too many open files")
        return await super().look()


def test_a_kill_that_fails_leaves_nobody_stopped() -> None:
    leader = subprocess.Popen(["bash", "-c", "bash -c 'sleep 7322 & wait' & wait"], start_new_session=True)
    try:
        wait_until(lambda: any(command(one) == "sleep 7322" for one in tree_of(leader.pid)))
        processes = tree_of(leader.pid)
        identity = identify(leader.pid)

        async def kill() -> None:
            tree = Tree(FailingProbe(), identity, "proc_none", with_escaped=False)
            await Teardown(tree, Settings(), asyncio.Event(), parent_first=False).run()

        with pytest.raises(OSError, match="Too many open files"):
            asyncio.run(kill())
        wait_until(lambda: not stopped(processes))
        assert len(alive(processes)) == 3
    finally:
        os.killpg(leader.pid, signal.SIGKILL)
        leader.wait()


class SlowProbe(Probe):
    """A machine on which a look takes longer than all looks may take at a tree that grows."""

    async def look(self) -> Look:
        await asyncio.sleep(0.2)
        return await super().look()


def test_a_tree_that_is_looked_at_slowly_is_no_fork_bomb_and_has_its_grace(tmp_path: Path) -> None:
    script = "trap 'touch cleaned; exit 0' TERM; touch armed; while :; do sleep 0.02; done"
    leader = subprocess.Popen(["bash", "-c", script], cwd=tmp_path, start_new_session=True)
    try:
        wait_until((tmp_path / "armed").exists)
        identity = identify(leader.pid)

        async def kill() -> None:
            tree = Tree(SlowProbe(), identity, "proc_none", with_escaped=False)
            settings = Settings(hold_seconds=0.1, term_grace_seconds=PATIENCE, kill_proof_seconds=PATIENCE)
            await Teardown(tree, settings, asyncio.Event(), parent_first=False).run()

        asyncio.run(kill())
        assert leader.wait(PATIENCE) == 0
        assert (tmp_path / "cleaned").exists()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(leader.pid, signal.SIGKILL)
        leader.wait()


THREADED = """
import ctypes, threading, time
threading.Thread(target=lambda: (print("up", flush=True), time.sleep(60))).start()
ctypes.CDLL(None).pthread_exit(None)
"""


def test_a_process_whose_first_thread_has_ended_is_alive(engine: Engine) -> None:
    session_id, processes = bash(engine, f"{sys.executable} -c '{THREADED}' & wait")
    child = processes[1]
    wait_until(lambda: child.status() == psutil.STATUS_ZOMBIE, what="its first thread to end")
    assert killed(engine, session_id).status == "killed"
    assert threads_of(child) <= 1


def threads_of(process: psutil.Process) -> int:
    """Of a zombie one is left until it is reaped."""
    try:
        return int(process.num_threads())
    except psutil.NoSuchProcess:
        return 0


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[str]:
    if shutil.which("tmux") is None:
        pytest.skip("no tmux on this machine")
    yield f"tmux -S {tmp_path}/socket -f /dev/null"
    subprocess.run(["tmux", "-S", f"{tmp_path}/socket", "kill-server"], capture_output=True, check=False)


def test_a_tmux_server_survives_the_kill_and_is_named_and_ended_on_request(engine: Engine, tmux: str) -> None:
    session_id, _ = bash(engine, f"{tmux} new-session -d 'sleep 7323'; echo up; sleep 7324")
    wait_until(lambda: "sleep 7323" in map(command, carriers(session_id)), what="the command in tmux")
    answer = killed(engine, session_id)
    assert answer.status == "killed"
    server = next(one for one in answer.escaped if one.command.startswith("tmux"))
    assert alive([psutil.Process(server.pid)])
    assert {one.pid for one in view_of(engine, session_id).escaped} == {one.pid for one in answer.escaped}

    ended = killed(engine, session_id, escaped=True)
    assert (ended.status, ended.exit_code) == ("already_exited", -15)
    assert server.pid in {one.pid for one in ended.escaped_ended}
    assert carriers(session_id) == []
    wait_until(lambda: view_of(engine, session_id).escaped == (), what="the escaped to be named no longer")


def test_a_kill_with_escaped_ends_them_along_with_the_tree(engine: Engine) -> None:
    session_id, _ = bash(engine, "(setsid sleep 7325 &); sleep 0.2; echo up; sleep 7326")
    answer = killed(engine, session_id, escaped=True)
    assert (answer.status, answer.escaped) == ("killed", ())
    assert carriers(session_id) == []


def test_what_an_ended_job_left_behind_can_be_ended(engine: Engine) -> None:
    started = engine.spawn(JobSpec(command="(setsid sleep 7327 &); read go; exit 3", stdin="pipe")).result()
    session_id = started.session_id
    wait_until(lambda: "sleep 7327" in map(command, carriers(session_id)), what="what is left behind to run")
    engine.submit(session_id, "").result()
    engine.wait(session_id).result()
    assert [one.command[-10:] for one in view_of(engine, session_id).escaped] == ["sleep 7327"]
    ended = killed(engine, session_id, escaped=True)
    assert (ended.status, ended.exit_code) == ("already_exited", 3)
    assert [one.command[-10:] for one in ended.escaped_ended] == ["sleep 7327"]
    assert carriers(session_id) == []


def view_of(engine: Engine, session_id: str) -> JobView:
    feed = engine.events()
    snapshot = feed.next(30)
    feed.close()
    assert isinstance(snapshot, Snapshot)
    return next(job for job in snapshot.jobs if job.session_id == session_id)


def left_alone(engine: Engine, session_id: str, pid: int) -> Killed:
    """Kill it until this one alone survives: on a slow machine others need more than one short proof to be dead."""

    def answer() -> Killed | None:
        told = killed(engine, session_id)
        return told if {one.pid for one in told.survivors} <= {pid} else None

    last = wait_until(answer, what="the others to be dead")
    assert last is not None and [one.pid for one in last.survivors] == [pid]
    return last


@pytest.mark.parametrize("pty", [False, True])
def test_survivors_are_told_with_a_reason_and_the_job_stays_killable(freezer: Freezer, pty: bool) -> None:
    with Engine(Settings(term_grace_seconds=0.2, kill_proof_seconds=0.3)) as engine:
        session_id, processes = bash(engine, "sleep 7328 & echo up; wait", pty=pty)
        child = processes[1]
        wait_until(lambda: command(child) == "sleep 7328")
        freezer.freeze(child.pid)
        answer = left_alone(engine, session_id, child.pid)
        assert (answer.status, answer.process_running) == ("error", True)
        assert [one.command for one in answer.survivors] == ["sleep 7328"]
        assert all(one.why for one in answer.survivors)
        # The shell is dead, and yet the job runs as long as one of it does.
        assert alive(processes) == ["sleep 7328"]
        assert engine.poll(session_id).result().status == "running"
        assert killed(engine, session_id).status == "error"

        freezer.thaw()
        ended = engine.wait(session_id).result().to_dict()
        assert (ended["completion_reason"], ended["exit_code"]) == ("killed", -15)
        assert alive(processes) == []


def test_a_survivor_can_be_killed_again(freezer: Freezer) -> None:
    with Engine(Settings(term_grace_seconds=0.2, kill_proof_seconds=0.3)) as engine:
        session_id, processes = bash(engine, "trap '' TERM; echo up; while :; do sleep 7329; done")
        freezer.freeze(processes[0].pid)
        left_alone(engine, session_id, processes[0].pid)
        assert view_of(engine, session_id).state == "running"
        freezer.thaw()
        answer = killed(engine, session_id)
        assert answer.status in ("killed", "already_exited")
        assert alive(processes) == []


def test_a_long_ending_tells_who_is_waited_for(patient_engine: Engine) -> None:
    session_id, processes = bash(patient_engine, "trap '' TERM; echo up; while :; do sleep 0.1; done")
    slow = patient_engine.kill(session_id)
    wait_until(lambda: view_of(patient_engine, session_id).ending, what="the ending to be told")
    ending = view_of(patient_engine, session_id).ending
    assert ending is not None
    assert processes[0].pid in {one.pid for one in ending.waiting}
    assert ending.count >= 1
    assert ending.kill_at is not None and ending.kill_at > ending.since
    assert killed(patient_engine, session_id, now=True).status == "killed"
    assert slow.result().status == "killed"
    assert view_of(patient_engine, session_id).ending is None
