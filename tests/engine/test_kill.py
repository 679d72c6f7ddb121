"""Kill ends the whole tree, gives it its grace, and keeps its last words (cases A20, A01, A03, A05)."""

import os
import time

import psutil
import pytest
from living import alive, tree_of
from patient import patient
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec
from engine.events import JobExited
from engine.process.identity import Identity, SignalRefused, identify, send_group_signal, send_signal
from engine.process.table import Row, Table
from engine.results import Killed, Refused


def start(engine: Engine, script: str, until: str, *, pty: bool) -> str:
    session_id = engine.spawn(JobSpec(argv=("bash", "-c", script), pty=pty)).result().session_id
    wait_until(lambda: until in engine.log(session_id).result().to_dict()["output"], what=f"{until!r} in the output")
    return session_id


def tree(engine: Engine, session_id: str) -> list[psutil.Process]:
    return tree_of(engine.poll(session_id).result().to_dict()["pid"])


CLEANS_UP = 'trap "sleep 0.2; echo CLEANED; exit 0" TERM; echo cleanup-armed; while :; do sleep 0.1; done'


@pytest.mark.parametrize("pty", [False, True])
def test_last_words_are_kept_and_the_code_tells_a_kill(patient_engine: Engine, pty: bool) -> None:
    engine = patient_engine
    session_id = start(engine, CLEANS_UP, "cleanup-armed", pty=pty)
    answer = engine.kill(session_id).result()
    assert isinstance(answer, Killed)
    assert (answer.status, answer.completion_reason, answer.termination_source) == ("killed", "killed", "operator")
    assert "CLEANED" in answer.output
    assert "CLEANED" in engine.log(session_id).result().to_dict()["output"]
    assert answer.exit_code == -15
    snapshot = engine.events().next()
    assert [(job.exit_code, job.raw_exit_code) for job in getattr(snapshot, "jobs", ())] == [(-15, 0)]


@pytest.mark.parametrize("pty", [False, True])
@pytest.mark.parametrize(
    "script",
    [
        "bash -c 'trap \"\" TERM; echo up; while :; do sleep 7306; done'; true",
        'trap "exit 0" TERM; (trap "" TERM; echo up; while :; do sleep 7304; done) & wait',
        "setsid sleep 7301 & echo up; exec sleep 7302",
        "set -m; sleep 7303 & sleep 7305 & echo up; wait",
        'trap "" TERM; echo up; while :; do sleep 0.05; done',
        "sleep 7307 & echo up; kill -STOP $$; wait",
    ],
    ids=["shell over a stubborn child", "stubborn grandchild", "setsid child", "job control", "stubborn", "stopped"],
)
def test_no_process_of_the_tree_survives(engine: Engine, script: str, pty: bool) -> None:
    session_id = start(engine, script, "up", pty=pty)
    processes = tree(engine, session_id)
    assert processes
    answer = engine.kill(session_id).result()
    assert answer.status == "killed"
    assert alive(processes) == []


def test_kill_now_does_not_wait_for_the_grace(patient_engine: Engine) -> None:
    engine = patient_engine
    session_id = start(engine, 'trap "" TERM; echo up; while :; do sleep 0.05; done', "up", pty=True)
    processes = tree(engine, session_id)
    slow = engine.kill(session_id)
    time.sleep(0.05)
    assert not slow.done()
    assert engine.kill(session_id, now=True).result(PATIENCE / 2).status == "killed"
    assert slow.result().status == "killed"
    assert alive(processes) == []


@pytest.mark.parametrize("order", ["children-first", "parent-first"])
def test_every_process_of_the_tree_gets_its_term(patient_engine: Engine, order: str) -> None:
    engine = patient_engine
    child = "trap 'echo child; exit' TERM; echo up; while :; do sleep 0.02; done"
    parent = f'trap "echo parent; exit" TERM; bash -c "{child}" & while :; do sleep 0.02; done'
    session_id = engine.spawn(JobSpec(argv=("bash", "-c", parent), kill_order=order)).result().session_id
    wait_until(lambda: "up" in engine.log(session_id).result().to_dict()["output"])
    killed = engine.kill(session_id).result()
    assert isinstance(killed, Killed)
    assert sorted(line for line in killed.output.split() if line in ("parent", "child")) == ["child", "parent"]


def test_a_tree_is_told_children_first_and_strangers_are_no_part_of_it() -> None:
    def row(pid: int, parent: int, session: int, state: str = "S") -> Row:
        return Row(pid, parent, session, session, state, float(pid))

    rows = [row(10, 1, 10), row(11, 10, 10), row(12, 11, 10), row(13, 1, 10), row(14, 12, 14), row(15, 14, 14)]
    rows += [row(20, 1, 20), row(21, 20, 20), row(16, 11, 10, "Z")]
    table = Table({one.pid: one for one in rows})
    told = [one.pid for one in table.tree(Identity(10, 10.0))]
    assert sorted(told) == [10, 11, 12, 13, 14, 15]  # 14 and 15 left the session but not the parentage
    assert told[-1] == 10
    for one, before in ((12, 11), (14, 12), (15, 14)):
        assert told.index(one) < told.index(before)
    assert table.tree(Identity(10, 9.0)) == []  # the number is a stranger's by now


def test_kill_races_exit_and_one_author_ends_the_job(engine: Engine) -> None:
    feed = engine.events()
    ids = [engine.spawn(JobSpec(command=f"sleep 0.0{number % 9}")).result().session_id for number in range(40)]
    answers = [call.result() for call in [engine.kill(session_id) for session_id in ids]]
    for session_id, answer in zip(ids, answers, strict=True):
        reason = engine.poll(session_id).result().to_dict()["completion_reason"]
        assert {"killed": "killed", "already_exited": "exited"}[answer.status] == reason
    ended = [event.job.session_id for event in feed.take() if isinstance(event, JobExited)]
    assert sorted(ended) == sorted(ids)


def test_another_conversations_job_is_not_found(engine: Engine) -> None:
    mine = engine.api(Caller("conv-a"))
    other = engine.api(Caller("conv-b"))
    session_id = mine.spawn(JobSpec(command="sleep 7310")).result().session_id
    answer = other.kill(session_id).result()
    assert isinstance(answer, Refused)
    assert answer.status == "not_found"
    assert other.list().result().processes == ()
    killed = mine.kill(session_id).result()
    assert isinstance(killed, Killed)
    assert killed.termination_source == "process.kill"


def test_a_recycled_pid_is_never_signalled() -> None:
    stranger = psutil.Popen(["sleep", "7311"])
    try:
        true_identity = identify(stranger.pid)
        assert true_identity is not None
        recycled = Identity(stranger.pid, true_identity.start_time - 1)
        assert send_signal(recycled, 9) is False
        assert send_group_signal(recycled, 9) is False
        time.sleep(0.05)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


@pytest.mark.parametrize("pid", [0, 1, -1, pytest.param(os.getpid(), id="ours")])
def test_what_must_never_be_signalled_is_refused(pid: int) -> None:
    with pytest.raises(SignalRefused):
        send_signal(Identity(pid, 0), 0)


def test_shutdown_ends_every_tree() -> None:
    with Engine(patient()) as engine:
        ids = [start(engine, "sleep 7312 & sleep 7313 & echo up; wait", "up", pty=pty) for pty in (False, True)]
        trees = [process for session_id in ids for process in tree(engine, session_id)]
        assert len(alive(trees)) == 6
    assert alive(trees) == []


def test_what_a_kill_was_for_is_the_operators_to_say(engine: Engine) -> None:
    session_id = start(engine, "echo up; sleep 7314", "up", pty=False)
    assert engine.kill(session_id, source="nonsense").result().status == "error"
    killed = engine.kill(session_id, source="quit").result()
    assert isinstance(killed, Killed)
    assert killed.termination_source == "quit"
