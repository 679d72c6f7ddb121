"""Batches of agents: one handle, one slot, one completion (spec 4.6)."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_programs import configured
from waiting import PATIENCE, wait_until

from engine import Caller, Engine, JobSpec, Settings
from engine.delegation import AgentTask, BatchView, ChildStatus
from engine.delegation_results import BatchResult, Delegated, Sent, Stopped
from engine.events import BatchChanged, BatchDone, Completion
from engine.results import Refused

ALICE = Caller(owner="conv_alice")
BOB = Caller(owner="conv_bob")


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    with Engine(configuration=configured(settings)) as running:
        yield running


def dispatched(engine: Engine, *tasks: str | AgentTask, caller: Caller = ALICE, max_children: int = 0) -> Delegated:
    answer = engine.api(caller).delegate(tasks, "standin", max_children=max_children).result()
    assert isinstance(answer, Delegated), answer
    return answer


def batch_of(engine: Engine, batch_id: str) -> BatchView:
    return next(one for one in engine.agents().result().batches if one.batch_id == batch_id)


def ended(engine: Engine, batch_id: str, caller: Caller = ALICE) -> BatchResult:
    answer = engine.api(caller).batch_result(batch_id, PATIENCE).result()
    assert isinstance(answer, BatchResult), answer
    assert answer.status != "running"
    at_once = engine.api(caller).batch_result(batch_id, 0.0).result()
    assert isinstance(at_once, BatchResult) and at_once.status == answer.status, "what is over is told without a wait"
    return answer


def running(engine: Engine, batch_id: str) -> int:
    return batch_of(engine, batch_id).count(ChildStatus.RUNNING)


def test_five_tasks_three_at_a_time_one_fails_one_is_cancelled_one_gets_a_message(
    engine: Engine, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    notices = engine.api(ALICE).notices()
    tasks = (
        f"say first; wait {go}; say one",
        "ask which colour?; say two",
        "hang",
        f"wait {go}; fail 3",
        f"wait {go}; say five",
    )
    given = dispatched(engine, *tasks)
    assert given.status == "dispatched" and re.fullmatch(r"deleg_[0-9a-f]{8}", given.batch_id)
    wait_until(lambda: running(engine, given.batch_id) == 3)
    handles = batch_of(engine, given.batch_id).handles
    assert [one.status for one in handles] == [*["running"] * 3, *["waiting"] * 2]
    alice = engine.api(ALICE)
    sent = alice.send(handles[1].subagent_id, "blue").result()
    assert isinstance(sent, Sent) and sent.via == "stdin"
    cancelled = alice.cancel(handles[2].subagent_id).result()
    assert cancelled == Stopped(status="ok", cancelled=(handles[2].subagent_id,))
    go.touch()
    done = notices.next(PATIENCE)
    assert isinstance(done, BatchDone)
    assert [one.status for one in done.results] == ["done", "done", "cancelled", "failed", "done"]
    assert [one.number for one in done.results] == [1, 2, 3, 4, 5]
    assert done.results[0].output == "first\none\n"
    assert "answered: blue" in done.results[1].output
    assert done.results[3].exit_code == 3
    assert done.batch.status == "done" and not done.failed
    assert done.text == "3 of 5 done, 1 failed, 1 cancelled"
    assert done.batch.live_transcripts is not None and len(done.batch.live_transcripts.paths) == 5
    assert notices.take() == []  # one completion, none of its children's


def test_never_more_run_than_may(engine: Engine, tmp_path: Path) -> None:
    feed, go = engine.events(), tmp_path / "go"
    given = dispatched(engine, *[f"wait {go}; say {number}" for number in range(6)], max_children=2)
    wait_until(lambda: running(engine, given.batch_id) == 2)
    go.touch()
    ended(engine, given.batch_id)
    seen = [one.batch.count(ChildStatus.RUNNING) for one in feed.take() if isinstance(one, BatchChanged)]
    assert max(seen) == 2


def test_a_full_pool_rejects_and_starts_nothing(settings: Settings, tmp_path: Path) -> None:
    go = tmp_path / "go"
    with Engine(configuration=configured(settings)) as engine:
        given = [dispatched(engine, f"wait {go}") for _ in range(3)]
        refused = engine.api(BOB).delegate(["say late"], "standin").result()
        assert isinstance(refused, Refused) and refused.status == "rejected" and refused.retry
        assert len(engine.agents().result().batches) == 3
        assert engine.await_room(0.01).result().status == "full"
        room = engine.await_room(PATIENCE)
        go.touch()
        assert room.result(PATIENCE).status == "free"
        for one in given:
            ended(engine, one.batch_id)
        dispatched(engine, "say now", caller=BOB)


def test_many_callers_at_once_take_exactly_the_slots(engine: Engine, tmp_path: Path) -> None:
    go = tmp_path / "go"
    calls = [engine.api(ALICE).delegate([f"wait {go}"], "standin") for _ in range(8)]
    answers = [call.result() for call in calls]
    assert sum(isinstance(one, Delegated) for one in answers) == 3
    go.touch()


def test_the_batch_is_an_error_only_if_all_failed(engine: Engine) -> None:
    bad = ended(engine, dispatched(engine, "fail 1", "fail 2").batch_id)
    assert bad.status == "error"
    mixed = ended(engine, dispatched(engine, "fail 1", "say ok").batch_id)
    assert mixed.status == "done"
    gone = engine.api(ALICE).delegate(["x"], "missing").result()
    assert isinstance(gone, Delegated)
    assert "nonexistent" in ended(engine, gone.batch_id).results[0].error


def test_stop_ends_all_of_it_with_all_trees_and_starts_no_more(engine: Engine) -> None:
    given = dispatched(engine, "fork; hang", "hang", "hang", "say never")
    wait_until(lambda: running(engine, given.batch_id) == 3)
    stopped = engine.api(ALICE).stop(given.batch_id).result()
    assert isinstance(stopped, Stopped) and stopped.status == "ok" and len(stopped.cancelled) == 4
    result = ended(engine, given.batch_id)
    assert result.status == "stopped"
    assert {one.status for one in result.results} == {ChildStatus.CANCELLED}
    assert result.results[3].session_id == ""


def test_a_foreign_conversation_learns_nothing_of_a_batch(engine: Engine) -> None:
    given = dispatched(engine, "hang")
    bob = engine.api(BOB)
    assert bob.agents().result().batches == ()
    for answer in (
        bob.stop(given.batch_id).result(),
        bob.batch_result(given.batch_id, 0.01).result(),
        bob.cancel(given.handles[0].subagent_id).result(),
        bob.send(given.handles[0].subagent_id, "x").result(),
    ):
        assert isinstance(answer, Refused) and answer.status == "not_found"
    engine.stop(given.batch_id).result()


def test_the_end_of_the_dispatching_conversation_does_not_kill_it(engine: Engine, tmp_path: Path) -> None:
    go = tmp_path / "go"
    given = dispatched(engine, f"wait {go}; say done")
    wait_until(lambda: running(engine, given.batch_id) == 1)
    engine.api(ALICE).turn_begin().result()
    engine.api(ALICE).turn_abandon().result()
    engine.api(ALICE).end_conversation().result()
    go.touch()
    assert ended(engine, given.batch_id).results[0].output == "done\n"


def test_a_caller_that_ends_all_its_jobs_leaves_its_agents_to_stop(engine: Engine) -> None:
    given = dispatched(engine, "hang")
    wait_until(lambda: running(engine, given.batch_id) == 1)
    killed = engine.api(ALICE).kill_all().result()
    assert not isinstance(killed, Refused) and killed.killed == ()
    session_id = batch_of(engine, given.batch_id).handles[0].session_id
    restarted = engine.restart(session_id).result()
    assert isinstance(restarted, Refused) and "delegate its task anew" in restarted.error
    engine.kill_all().result()
    assert ended(engine, given.batch_id).results[0].status == "cancelled"


def test_what_a_child_has_started_ends_with_it(engine: Engine, tmp_path: Path) -> None:
    go = tmp_path / "go"
    given = dispatched(engine, f"env JOBDECK_CONVERSATION; wait {go}")
    job = wait_until(lambda: batch_of(engine, given.batch_id).handles[0].session_id)
    shown = wait_until(lambda: re.findall(r"JOBDECK_CONVERSATION=(\S+)\n", _preview(engine, job)))
    own = engine.api(Caller(owner=shown[0])).spawn(JobSpec(command="sleep 7791")).result()
    go.touch()
    ended(engine, given.batch_id)
    assert engine.poll(own.session_id).result().to_dict()["termination_source"] == "owner_exit"


def test_who_cannot_be_told_later_is_not_promised_it_and_consoles_see_it(engine: Engine) -> None:
    script = Caller(owner="conv_script", async_delivery=False)
    feed = engine.events()
    given = dispatched(engine, "say hi", caller=script)
    assert "batch_result" in (given.notify_unsupported or "")
    assert dispatched(engine, "say ho").notify_unsupported is None
    seen: list[str] = []
    while given.batch_id not in seen:
        event = feed.next(PATIENCE)
        seen += [event.batch.batch_id] if isinstance(event, BatchDone) else []
    assert engine.api(Caller(owner="conv_script")).notices().take() == []
    assert ended(engine, given.batch_id, script).results[0].output == "hi\n"


def test_who_reads_the_result_is_not_told_again(engine: Engine) -> None:
    given = dispatched(engine, "say hi")
    ended(engine, given.batch_id)
    notices = engine.api(ALICE).notices()
    other = dispatched(engine, "say ho")
    told = notices.next(PATIENCE)
    assert isinstance(told, BatchDone) and told.batch.batch_id == other.batch_id


def test_a_child_that_delegates_waits_for_its_own_children_within_its_slot(settings: Settings, tmp_path: Path) -> None:
    """As over the wire: the child's conversation is told by its token in its environment."""
    with Engine(configuration=configured(settings)) as engine:
        given = dispatched(engine, "env JOBDECK_CONVERSATION; hang")
        job = wait_until(lambda: batch_of(engine, given.batch_id).handles[0].session_id)
        shown = wait_until(lambda: re.findall(r"JOBDECK_CONVERSATION=(\S+)\n", _preview(engine, job)))
        child = Caller(owner=shown[0])
        assert child.owner.startswith("conv_alice/")
        dispatched(engine, "hang")
        dispatched(engine, "hang")  # all three slots are taken now
        nested = engine.api(child).delegate(["say below", "fail 4"], "standin").result(PATIENCE)
        assert isinstance(nested, Delegated) and nested.status == "done"
        assert [one.status for one in nested.results] == ["done", "failed"]
        assert nested.handles[0].parent == given.handles[0].subagent_id
        later = engine.api(child).delegate(["hang"], "standin")
        below = wait_until(lambda: [one for one in engine.agents().result().batches if one.parent and not one.ended_at])
        wait_until(lambda: running(engine, below[0].batch_id) == 1)
        engine.cancel(given.handles[0].subagent_id).result()
        cancelled = later.result(PATIENCE)
        assert isinstance(cancelled, Delegated) and cancelled.status == "stopped"
        for one in engine.agents().result().batches:
            engine.stop(one.batch_id).result()


def test_messages_to_an_inbox_file(engine: Engine) -> None:
    given = engine.api(ALICE).delegate([AgentTask(goal="inbox; say bye", agent="reader", role="scout")]).result()
    assert isinstance(given, Delegated) and given.handles[0].role == "scout"
    child = given.handles[0].subagent_id
    wait_until(lambda: running(engine, given.batch_id) == 1)
    for text in ("two\nlines", "done"):
        assert engine.api(ALICE).send(child, text).result().status == "ok"
    output = ended(engine, given.batch_id).results[0].output
    assert output == "inbox: two\nlines\ninbox: done\nbye\n"
    inbox = Path(given.live_transcripts.folder, "task-1.inbox")
    wait_until(lambda: not inbox.exists())


def test_a_message_to_who_is_done_is_refused_and_its_handle_is_kept(engine: Engine) -> None:
    given = dispatched(engine, "say hi")
    ended(engine, given.batch_id)
    answer = engine.api(ALICE).send(given.handles[0].subagent_id, "too late").result()
    assert isinstance(answer, Refused) and "doesn't run" in answer.error
    (handle,) = batch_of(engine, given.batch_id).handles
    assert (handle.status, handle.exit_code, handle.goal) == ("done", 0, "say hi")


def test_what_cannot_be_asked_for_is_said(engine: Engine) -> None:
    alice = engine.api(ALICE)
    for call, words in (
        (alice.delegate([], "standin"), "needs tasks"),
        (alice.delegate(["x"], "nobody"), "there are: missing, reader, standin"),
        (alice.delegate(["x"]), "which agent?"),
        (alice.delegate(["x"], "standin", max_children=-1), "at least 1"),
        (alice.delegate(["x"] * 65, "standin"), "64 is the most"),
    ):
        answer = call.result()
        assert isinstance(answer, Refused) and words in answer.error
    assert engine.agents().result().slots_free == 3


def test_a_background_agent_is_a_job_with_an_id_of_its_kind(engine: Engine) -> None:
    notices = engine.api(ALICE).notices()
    started = engine.api(ALICE).background("say found it", "standin").result()
    assert not isinstance(started, Refused)
    assert re.fullmatch(r"bg_\d{14}_[0-9a-f]{8}", started.session_id)
    told = notices.next(PATIENCE)
    assert isinstance(told, Completion)
    assert (told.session_id, told.output) == (started.session_id, "found it\n")
    (handle,) = engine.api(ALICE).agents().result().background
    assert (handle.session_id, handle.status, handle.agent) == (started.session_id, "done", "standin")
    assert engine.api(ALICE).poll(started.session_id[:18]).result().status == "exited"
    engine.dismiss(started.session_id).result()
    (row,) = engine.api(ALICE).results().result().results
    assert row.session_id == started.session_id, "its result is kept like any other's"
    assert engine.api(ALICE).log(started.session_id).result().output == "found it\n"  # type: ignore[union-attr]


def test_a_background_agent_outlives_its_conversation_until_it_is_stopped(engine: Engine) -> None:
    started = engine.api(ALICE).background("read; hang", "standin").result()
    assert not isinstance(started, Refused)
    engine.api(ALICE).send(started.session_id, "done").result()
    wait_until(lambda: "heard: done" in _preview(engine, started.session_id))
    engine.api(ALICE).end_conversation().result()
    assert engine.poll(started.session_id).result().status == "running"
    stopped = engine.api(ALICE).stop(started.session_id).result()
    assert isinstance(stopped, Stopped) and stopped.cancelled == (started.session_id,)
    assert engine.poll(started.session_id).result().status == "exited"


def test_a_snapshot_holds_the_batches(engine: Engine) -> None:
    given = dispatched(engine, "say hi")
    ended(engine, given.batch_id)
    snapshot = engine.events().next(PATIENCE)
    assert [one.batch_id for one in getattr(snapshot, "batches", ())] == [given.batch_id]


def _preview(engine: Engine, session_id: str) -> str:
    return str(engine.poll(session_id).result().to_dict()["output_preview"])


def test_the_manifest_tells_how_it_stands(engine: Engine) -> None:
    given = dispatched(engine, "say hi", "fail 2")
    ended(engine, given.batch_id)
    path = Path(given.live_transcripts.folder, "manifest.json")
    wait_until(path.exists)
    manifest = wait_until(lambda: (found := json.loads(path.read_text()))["status"] == "done" and found)
    assert [one["status"] for one in manifest["tasks"]] == ["done", "failed"]
    assert [one["transcript"] for one in manifest["tasks"]] == list(given.live_transcripts.paths)
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700


def test_tail_attaches_before_the_agent_prints(engine: Engine, tmp_path: Path) -> None:
    go = tmp_path / "go"
    given = dispatched(engine, f"wait {go}; say line one; ask sure?; say bye")
    path = given.live_transcripts.paths[0]
    tail = subprocess.Popen(["tail", "-n", "+1", "-f", path], stdout=subprocess.PIPE, text=True)
    try:
        assert tail.stdout is not None
        first = tail.stdout.readline()
        assert re.match(r"\d\d:\d\d:\d\d user \| wait ", first), first
        go.touch()
        lines = [first]
        while "agent | sure?" not in lines[-1]:
            lines.append(tail.stdout.readline())
        engine.api(ALICE).send(given.handles[0].subagent_id, "yes").result()
        while "✓ finished" not in lines[-1]:
            lines.append(tail.stdout.readline())
    finally:
        tail.kill()
        tail.communicate()
    said = [line.split(" ", 1)[1].rstrip("\n") for line in lines]
    assert said[1].startswith("system | standin runs as proc_")
    assert said[2:] == [
        "agent | line one",
        "agent | sure?",
        "user | yes",
        "agent | answered: yes",
        "agent | bye",
        "system | ✓ finished",
    ]


def test_agents_of_the_folder_that_asks_go_before_the_engines(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "jobdeck.toml").write_text('[agents.here]\ncommand = ["echo", "here: {prompt}"]\n')
    alice, folder = engine.api(ALICE), str(tmp_path)
    started = alice.background("hi", folder=folder).result()
    assert not isinstance(started, Refused)
    wait_until(lambda: _preview(engine, started.session_id) == "here: hi\n")
    given = alice.delegate(["hello"], "here", folder=folder).result()
    assert isinstance(given, Delegated)
    assert [one.output for one in ended(engine, given.batch_id).results] == ["here: hello\n"]
    assert {row.name for row in alice.agents(folder).result().agents} == {"here", "missing", "reader", "standin"}
    assert not isinstance(alice.background("say hi", "standin", folder=folder).result(), Refused)
    refused = alice.background("hi", "here").result()
    assert isinstance(refused, Refused) and "there is no agent 'here'" in refused.error
    (tmp_path / "jobdeck.toml").write_text("[agents.here]\ncommand = 3\n")
    refused = alice.background("hi", "here", folder=folder).result()
    assert isinstance(refused, Refused)
    assert f"({folder}/jobdeck.toml:2: command = 3: a list is expected" in refused.error
