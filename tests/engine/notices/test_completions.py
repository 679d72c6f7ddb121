"""A job that was to tell its end tells it exactly once, or not at all where its owner learnt of it (spec 2.2)."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from engine import Engine, EngineApi, EventFeed, JobSpec, NoticeFeed, Settings, StartError
from engine.events import Completion, Event, JobExited, JobState, Notice
from engine.results import Waited, end_text
from engine.spec import Caller

AGENT = Caller("conv_agent")


@pytest.fixture
def agent(engine: Engine) -> EngineApi:
    return engine.api(AGENT)


def start(api: EngineApi, command: str, **fields: object) -> str:
    spec = JobSpec(command=command, notify_on_complete=True, **fields)  # type: ignore[arg-type]
    return api.spawn(spec).result(PATIENCE).session_id


def ended(engine: Engine, session_id: str) -> None:
    """Wait for the end without reading it: by the events, whose reading marks nothing."""
    feed = engine.events()
    views = {job.session_id: job for job in feed.next(PATIENCE).jobs}  # type: ignore[union-attr]
    seen: list[Event] = []
    if views[session_id].state is not JobState.EXITED:
        wait_until(lambda: any(_is_end(one, session_id) for one in more(feed, seen)))
    feed.close()


def _is_end(event: Event, session_id: str) -> bool:
    return isinstance(event, JobExited) and event.job.session_id == session_id


def more(feed: EventFeed, seen: list[Event]) -> list[Event]:
    seen.extend(feed.take())
    return seen


def completions(feed: EventFeed | NoticeFeed) -> list[Completion]:
    return [one for one in feed.take() if isinstance(one, Completion)]


def settle(engine: Engine) -> None:
    """All that was posted to the engine's loop before has been done."""
    engine.list().result(PATIENCE)


def first(feed: NoticeFeed) -> Completion:
    notice: Notice = feed.next(PATIENCE)
    assert isinstance(notice, Completion)
    return notice


def test_an_exit_is_told_once_to_the_owner_and_once_to_the_console(engine: Engine, agent: EngineApi) -> None:
    feed, console = agent.notices(), engine.events()
    session_id = start(agent, "printf 'one\\ntwo\\n'; exit 3", name="suite")
    told = first(feed)
    assert (told.session_id, told.name, told.owner) == (session_id, "suite", AGENT.owner)
    assert (told.exit_code, told.completion_reason, told.termination_source) == (3, "exited", "")
    assert (told.output, told.output_cut) == ("one\ntwo\n", 0)
    assert told.started_at <= told.exited_at <= time.time()
    assert told.text == "✗ failed (exit 3)" and told.failed
    settle(engine)
    assert feed.take() == []
    assert [one.session_id for one in completions(console)] == [session_id]


def test_what_did_not_ask_tells_nothing(engine: Engine, agent: EngineApi) -> None:
    feed, console = agent.notices(), engine.events()
    session_id = agent.spawn(JobSpec(command="exit 1", watch_patterns=("ERROR",))).result(PATIENCE).session_id
    ended(engine, session_id)
    assert feed.take() == []
    seen = console.take()
    assert sum(isinstance(one, JobExited) for one in seen) == 1
    assert not any(isinstance(one, Completion) for one in seen)


def test_the_operators_own_is_told_by_the_console_alone(engine: Engine) -> None:
    console = engine.events()
    session_id = start(engine, "true")
    seen: list[Event] = []
    wait_until(lambda: any(isinstance(one, Completion) for one in more(console, seen)))
    told = [one for one in seen if isinstance(one, Completion)]
    assert [one.session_id for one in told] == [session_id]
    assert told[0].text == "✓ finished" and not told[0].failed
    feed = engine.notices()
    settle(engine)
    assert feed.take() == []


def test_the_operators_own_waits_for_a_console(engine: Engine, tmp_path: Path) -> None:
    start(engine, f"touch {tmp_path}/done")
    wait_until((tmp_path / "done").exists)
    wait_until(lambda: engine.list().result(PATIENCE).processes[0].status == "exited")
    untaken = engine.events()
    wait_until(lambda: untaken._events)  # type: ignore[attr-defined]
    untaken.close()
    console = engine.events()
    seen = [console.next(PATIENCE), console.next(PATIENCE)]
    assert isinstance(seen[1], Completion)
    assert seen[0].sequence < seen[1].sequence
    again = engine.events()
    again.next(PATIENCE)
    settle(engine)
    assert again.take() == []


def test_a_wait_of_the_owners_consumes(engine: Engine, agent: EngineApi) -> None:
    feed, console = agent.notices(), engine.events()
    session_id = start(agent, "read x", stdin="pipe")
    waiting = agent.wait(session_id, PATIENCE)
    agent.close(session_id).result(PATIENCE)
    assert waiting.result(PATIENCE).status == "exited"
    late = start(agent, "true")
    ended(engine, late)
    assert first(feed).session_id == late
    feed.close()
    late = start(agent, "true")
    ended(engine, late)
    assert agent.wait(late, PATIENCE).result(PATIENCE).status == "exited"
    again = agent.notices()
    settle(engine)
    assert again.take() == []
    assert session_id not in [one.session_id for one in completions(console)]


def test_a_wait_that_timed_out_consumes_nothing(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    session_id = start(agent, "read x", stdin="pipe")
    assert agent.wait(session_id, 0.05).result(PATIENCE).status == "timeout"
    agent.close(session_id).result(PATIENCE)
    assert first(feed).session_id == session_id


def test_a_wait_whose_caller_was_called_away_consumes_nothing(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    session_id = start(agent, "read x", stdin="pipe")
    left = agent.wait(session_id)

    async def wait_a_moment() -> None:
        async with asyncio.timeout(0.05):
            await agent.wait(session_id)

    with pytest.raises(TimeoutError):
        asyncio.run(wait_a_moment())
    left.leave()
    interrupted = left.result(PATIENCE)
    assert isinstance(interrupted, Waited) and interrupted.status == "interrupted" and interrupted.process_running
    agent.close(session_id).result(PATIENCE)
    assert first(feed).session_id == session_id


def test_what_is_read_while_a_job_is_ending_marks_nothing(tmp_path: Path) -> None:
    go = tmp_path / "go"
    line = f"trap 'while [ ! -e {go} ]; do sleep 0.02; done; exit 0' TERM; echo armed; while :; do sleep 0.02; done"
    with Engine(Settings(term_grace_seconds=PATIENCE)) as engine:
        agent = engine.api(AGENT)
        feed, console = agent.notices(), engine.events()
        session_id = start(agent, line)
        wait_until(lambda: "armed" in agent.log(session_id).result(PATIENCE).output)  # type: ignore[union-attr]
        killing = engine.kill(session_id)
        assert agent.poll(session_id).result(PATIENCE).status == "running"
        assert agent.log(session_id).result(PATIENCE).status == "running"
        assert agent.wait(session_id, 0.05).result(PATIENCE).status == "timeout"
        go.touch()
        killing.result(PATIENCE)
        assert first(feed).text == "terminated (SIGTERM), killed by the operator"
        settle(engine)
        assert len(completions(console)) == 1


def test_anothers_wait_takes_nothing_from_the_owner(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    session_id = start(agent, "sleep 0.1")
    assert engine.wait(session_id, PATIENCE).result(PATIENCE).status == "exited"
    assert first(feed).session_id == session_id


def test_a_log_that_reached_the_last_line_consumes(engine: Engine, agent: EngineApi) -> None:
    session_id = start(agent, "seq 5")
    ended(engine, session_id)
    agent.log(session_id, offset=0, limit=4).result(PATIENCE)
    agent.log(session_id, offset=99).result(PATIENCE)
    engine.log(session_id).result(PATIENCE)
    feed = agent.notices()
    settle(engine)
    assert len(feed._letters) == 1  # type: ignore[attr-defined]
    agent.log(session_id, offset=4).result(PATIENCE)
    assert feed.take() == []


def test_a_log_before_the_end_consumes_nothing(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    session_id = start(agent, "echo all there is; read x", stdin="pipe")
    wait_until(lambda: "all there is" in agent.log(session_id).result(PATIENCE).output)  # type: ignore[union-attr]
    agent.close(session_id).result(PATIENCE)
    assert first(feed).session_id == session_id


def test_a_kill_of_the_owners_consumes(engine: Engine, agent: EngineApi) -> None:
    feed, console = agent.notices(), engine.events()
    session_id = start(agent, "sleep 7601")
    assert agent.kill(session_id).result(PATIENCE).status == "killed"
    after = start(agent, "true")
    ended(engine, after)
    assert agent.kill(after).result(PATIENCE).status == "already_exited"
    settle(engine)
    assert [one for one in completions(feed) if one.session_id == session_id] == []
    assert [one for one in completions(console) if one.session_id == session_id] == []


def test_anothers_kill_is_delivered(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    session_id = start(agent, "sleep 7602")
    assert engine.kill(session_id).result(PATIENCE).status == "killed"
    told = first(feed)
    assert (told.completion_reason, told.termination_source, told.exit_code) == ("killed", "operator", -15)
    assert told.text == "terminated (SIGTERM), killed by the operator"
    settle(engine)
    assert feed.take() == []


def test_a_poll_is_not_repeated_to_who_polled_and_told_to_others(engine: Engine, agent: EngineApi) -> None:
    console = engine.events()
    session_id = start(agent, "true")
    ended(engine, session_id)
    assert agent.poll(session_id).result(PATIENCE).status == "exited"
    feed = agent.notices()
    settle(engine)
    assert feed.take() == []
    assert [one.session_id for one in completions(console)] == [session_id]


def test_a_poll_of_the_operators_leaves_the_owners(engine: Engine, agent: EngineApi) -> None:
    console = engine.events()
    session_id = start(agent, "true")
    ended(engine, session_id)
    assert engine.poll(session_id).result(PATIENCE).status == "exited"
    assert first(agent.notices()).session_id == session_id
    assert completions(console) == []


def test_a_failed_start_is_told(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    with pytest.raises(StartError) as failed:
        agent.spawn(JobSpec(argv=("/no/such/program",), notify_on_complete=True)).result(PATIENCE)
    told = first(feed)
    assert told.session_id == failed.value.session_id
    assert told.text == "failed to start" and told.failed and "No such file" in told.start_error


def test_an_absent_owner_finds_it_when_it_comes_back_and_nobody_else_does(engine: Engine, agent: EngineApi) -> None:
    session_id = start(agent, "true")
    ended(engine, session_id)
    stranger = engine.api(Caller("conv_other")).notices()
    operator = engine.notices()
    settle(engine)
    assert stranger.take() == operator.take() == []
    assert first(engine.api(Caller(AGENT.owner, async_delivery=False)).notices()).session_id == session_id


def test_the_tail_begins_at_a_line_and_says_what_is_missing(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    start(agent, "seq 1000 1999")
    told = first(feed)
    lines = told.output.splitlines()
    assert lines[0].isdigit() and len(lines[0]) == 4 and lines[-1] == "1999"
    assert 1990 < len(told.output) <= 2000
    assert told.output_cut + len(told.output) == 5000
    start(agent, "head -c 3000 /dev/zero | tr '\\0' x")
    told = first(feed)
    assert told.output == "x" * 2000 and told.output_cut == 1000
    start(agent, "printf '\\033[31mred\\033[0m\\n'")
    assert first(feed).output == "red\n"


def test_a_restart_goes_on_telling(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    old = start(agent, "sleep 7603")
    new = engine.restart(old).result(PATIENCE).session_id  # type: ignore[union-attr]
    assert first(feed).session_id == old
    engine.kill(new).result(PATIENCE)
    assert first(feed).session_id == new


def test_a_lost_job_is_told() -> None:
    code = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
from engine import Caller, Engine, JobSpec
with Engine() as engine:
    agent = engine.api(Caller("conv_agent"))
    feed = agent.notices()
    agent.spawn(JobSpec(command="exit 3", notify_on_complete=True)).result()
    print(feed.next(60).text)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "lost\n"


def test_telling_can_be_asked_for_later_and_not_after_the_end(engine: Engine, agent: EngineApi) -> None:
    feed = agent.notices()
    asked = agent.spawn(JobSpec(command="read x", stdin="pipe")).result(PATIENCE).session_id
    unasked = start(agent, "read x", stdin="pipe")
    agent.set_notify(asked, True).result(PATIENCE)
    agent.set_notify(unasked, False).result(PATIENCE)
    for session_id in (unasked, asked):
        agent.close(session_id).result(PATIENCE)
        ended(engine, session_id)
    assert first(feed).session_id == asked
    refused = agent.set_notify(unasked, True).result(PATIENCE)
    assert refused.status == "already_exited"
    settle(engine)
    assert feed.take() == []


@pytest.mark.parametrize(
    ("code", "reason", "source", "text"),
    [
        (0, "exited", "", "✓ finished"),
        (2, "exited", "", "✗ failed (exit 2)"),
        (-11, "exited", "", "✗ failed (SIGSEGV)"),
        (-15, "exited", "", "terminated (SIGTERM)"),
        (143, "exited", "", "terminated (SIGTERM)"),
        (139, "exited", "", "✗ failed (SIGSEGV)"),
        (-15, "killed", "operator", "terminated (SIGTERM), killed by the operator"),
        (-15, "killed", "process.kill", "terminated (SIGTERM), killed by its owner"),
        (None, "lost", "lost", "lost"),
        (127, "failed_start", "failed_start", "failed to start"),
    ],
)
def test_ends_in_words(code: int | None, reason: str, source: str, text: str) -> None:
    assert end_text(code, reason, source, through_shell=True) == text
