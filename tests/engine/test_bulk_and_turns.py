"""Kills of many jobs spare what they must; a turn that is abandoned takes with it what it started (spec 1.7, 3.8)."""

from collections.abc import Callable, Iterator

import pytest
from manual_clock import ManualClock
from waiting import wait_until

from engine import Caller, Engine, EngineApi, JobSpec, Settings
from engine.events import Completion
from engine.results import KilledAll, Refused, RunningIds

A, B = Caller("conv-a"), Caller("conv-b")


def sleeper(api: EngineApi, notify: bool = False) -> str:
    return api.spawn(JobSpec(argv=("sleep", "7501"), notify_on_complete=notify)).result().session_id


def running(engine: Engine) -> set[str]:
    return {row.session_id for row in engine.list().result().processes if row.status == "running"}


def baseline(api: EngineApi, owner: str | None = None) -> tuple[str, ...]:
    answer = api.snapshot_running_ids(owner).result()
    assert isinstance(answer, RunningIds)
    return answer.session_ids


def outlive(engine: Engine, session_id: str) -> None:
    engine.call("mark", lambda: setattr(engine.registry.jobs[session_id], "persist_on_release", True)).result()


def test_all_of_an_owner_end_and_others_stay(engine: Engine) -> None:
    a, b = engine.api(A), engine.api(B)
    mine, spared, lasting, theirs = sleeper(a), sleeper(a), sleeper(a), sleeper(b)
    operators = sleeper(engine)
    outlive(engine, lasting)
    assert engine.kill_all("conv-a", (spared,)).result() == KilledAll(status="ok", killed=(mine,))
    assert running(engine) == {spared, lasting, theirs, operators}
    assert engine.poll(mine).result().to_dict()["termination_source"] == "kill_all"
    assert a.kill_all().result() == KilledAll(status="ok", killed=(spared,))
    assert a.kill(lasting).result().status == "killed"  # an explicit kill doesn't pass it by
    everybody = engine.kill_all(source="quit").result()
    assert isinstance(everybody, KilledAll)
    assert set(everybody.killed) == {theirs, operators}
    assert running(engine) == set()


def test_a_conversation_can_end_only_its_own(engine: Engine) -> None:
    theirs = sleeper(engine.api(B))
    a = engine.api(A)
    for answer in (
        a.kill_all("conv-b").result(),
        a.kill_all("").result(),
        a.kill_all(source="quit").result(),
        a.snapshot_running_ids("conv-b").result(),
        a.kill_started_since("conv-b", ()).result(),
    ):
        assert isinstance(answer, Refused)
    assert a.kill_all().result() == KilledAll(status="ok", killed=())
    assert running(engine) == {theirs}


def test_what_was_started_since_a_baseline_ends_and_no_more(engine: Engine) -> None:
    a = engine.api(A)
    before = sleeper(a)
    taken = baseline(engine, "conv-a")
    finished = a.spawn(JobSpec(command="exit 3")).result().session_id
    a.wait(finished).result()
    since, theirs = sleeper(a), sleeper(engine.api(B))
    assert engine.kill_started_since("conv-a", taken).result() == KilledAll(status="ok", killed=(since,))
    assert running(engine) == {before, theirs}
    assert engine.poll(finished).result().to_dict()["exit_code"] == 3


def test_consumed_output_is_told_to_nobody(engine: Engine) -> None:
    a = engine.api(A)
    feed = a.notices()
    quiet = sleeper(a, notify=True)
    engine.kill_all("conv-a", consume_output=True).result()
    loud = sleeper(a, notify=True)
    engine.kill_all("conv-a").result()
    assert isinstance(told := feed.next(30), Completion)
    assert (told.session_id, quiet in running(engine)) == (loud, False)


@pytest.fixture
def timed() -> Iterator[tuple[Engine, Callable[[float], None]]]:
    """An engine whose time the test moves."""
    clock = ManualClock()
    with Engine(Settings(term_grace_seconds=0.4, turn_inactivity_seconds=100), clock=clock) as engine:
        yield engine, lambda seconds: clock.advance(engine, seconds)


def test_an_abandoned_turn_takes_what_it_started(engine: Engine) -> None:
    a = engine.api(A)
    feed = a.notices()
    before = sleeper(a)
    turn = a.turn_begin().result()
    assert turn.status == "open"
    finished = a.spawn(JobSpec(command="exit 3")).result().session_id
    a.wait(finished).result()
    started, lasting, theirs = sleeper(a, notify=True), sleeper(a), sleeper(engine.api(B))
    outlive(engine, lasting)
    assert a.turn_abandon(turn.turn_id).result() == KilledAll(status="ok", killed=(started,))
    assert running(engine) == {before, lasting, theirs}
    assert engine.poll(started).result().to_dict()["termination_source"] == "turn_abandoned"
    last = sleeper(a, notify=True)
    a.kill_all().result()
    assert isinstance(told := feed.next(30), Completion)
    assert told.session_id == last  # the notice of the abandoned job was consumed


def test_a_late_stop_reaps_nothing_that_was_left_on_purpose(engine: Engine) -> None:
    a = engine.api(A)
    first = a.turn_begin().result().turn_id
    left = sleeper(a)
    assert a.turn_end(first).result().status == "ended"
    assert a.turn_end(first).result().status == "not_open"
    assert a.turn_abandon(first).result().killed == ()
    second = a.turn_begin().result().turn_id
    new = sleeper(a)
    assert a.turn_abandon(first).result().killed == ()  # meant for a turn that is over
    assert running(engine) == {left, new}
    assert a.turn_abandon(second).result().killed == (new,)
    assert running(engine) == {left}


def test_a_turn_of_whose_owner_nothing_is_heard_is_abandoned(
    timed: tuple[Engine, Callable[[float], None]],
) -> None:
    engine, move = timed
    a = engine.api(A)
    a.turn_begin().result()
    started, theirs = sleeper(a), sleeper(engine.api(B))
    move(99)
    a.poll(started).result()  # a sign of life
    move(99)
    waiting = a.wait(started, 150)  # so is a call that is under way
    wait_until(lambda: engine.call("calls", lambda: engine.registry.turns._open["conv-a"].calls).result() == 1)
    move(99)
    assert running(engine) == {started, theirs}
    engine.signal(started, "KILL").result()
    waiting.result()
    started = sleeper(a)
    move(99)
    assert running(engine) == {started, theirs}
    move(1)
    wait_until(lambda: running(engine) == {theirs}, what="the silent turn to be abandoned")
    assert engine.poll(started).result().to_dict()["termination_source"] == "turn_abandoned"
