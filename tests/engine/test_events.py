"""Events: a snapshot, then everything in order; ends never lost, changes latest-wins and at most four a second."""

import threading
import time
from pathlib import Path

import psutil
import pytest
from waiting import wait_until

from engine import Engine, EngineGone, JobSpec
from engine.events import Event, JobChanged, JobExited, JobStarted, Resync, Snapshot
from engine.registry.feed import Feed, Picture


def drain(feed: object, into: list[Event]) -> list[Event]:
    into.extend(feed.take())  # type: ignore[attr-defined]
    return into


def test_a_feed_begins_with_all_jobs_then_tells_each_change_in_order(engine: Engine) -> None:
    early = engine.spawn(JobSpec(command="sleep 7501")).result(5).session_id
    feed = engine.events()
    first = feed.next(5)
    assert isinstance(first, Snapshot)
    assert [job.session_id for job in first.jobs] == [early]
    late = engine.spawn(JobSpec(command="echo hi")).result(5).session_id
    engine.wait(late, 5).result(6)
    seen: list[Event] = []
    wait_until(lambda: any(isinstance(event, JobExited) for event in drain(feed, seen)))
    kinds = [type(event) for event in seen if getattr(getattr(event, "job", None), "session_id", "") == late]
    assert kinds[0] is JobStarted and kinds[-1] is JobExited
    sequences = [event.sequence for event in (first, *seen)]
    assert sequences == sorted(set(sequences))


def test_a_flood_is_told_four_times_a_second(engine: Engine) -> None:
    feed = engine.events()
    session_id = engine.spawn(JobSpec(argv=("yes",))).result(5).session_id
    time.sleep(1.0)
    engine.kill(session_id, now=True).result(5)
    changes = [event for event in drain(feed, []) if isinstance(event, JobChanged)]
    assert 1 <= len(changes) <= 8
    assert changes[-1].job.last_line == "y"


def test_a_subscriber_that_falls_behind_gets_all_anew_and_no_end_is_lost() -> None:
    engine = Engine()
    feed = engine.events()
    view = None
    with engine:
        session_id = engine.spawn(JobSpec(command="true")).result(5).session_id
        engine.wait(session_id, 5).result(6)
        view = next(event.job for event in drain(feed, []) if isinstance(event, JobExited))
    jobs = (view,)
    slow = Feed(None, lambda _feed: None)
    slow.begin(0, lambda: Picture(tuple(jobs)))
    for number in range(1, 10_001):
        if number % 1_000 == 0:
            slow.put(JobExited(number, 0.0, view))
        else:
            slow.put(JobStarted(number, 0.0, view))
    events = slow.take()
    assert len(events) < 5_000
    assert [event.sequence for event in events if isinstance(event, JobExited)] == list(range(1_000, 10_001, 1_000))
    assert any(isinstance(event, Resync) for event in events)
    sequences = [event.sequence for event in events]
    assert sequences == sorted(sequences)


def test_a_subscriber_that_raises_costs_nobody_anything(engine: Engine) -> None:
    def broken() -> None:
        raise RuntimeError("this subscriber is broken")

    good = engine.events()
    engine.events(on_ready=broken)
    session_id = engine.spawn(JobSpec(command="true")).result(5).session_id
    assert engine.wait(session_id, 5).result(6).status == "exited"
    assert any(isinstance(event, JobExited) for event in drain(good, []))


def test_a_closed_feed_is_told_nothing_more(engine: Engine) -> None:
    feed = engine.events()
    feed.next(5)
    feed.close()
    feed.close()
    engine.wait(engine.spawn(JobSpec(command="true")).result(5).session_id, 5).result(6)
    assert feed.take() == []
    with pytest.raises(TimeoutError):
        feed.next(0.01)


def test_a_job_says_what_its_last_line_and_bells_are(engine: Engine) -> None:
    feed = engine.events()
    line = r"printf 'first\n\a\033[31m[b]not markup[/b]\033[0m   \n\n'; sleep 7502"
    engine.spawn(JobSpec(argv=("bash", "-c", line))).result(5)
    seen: list[Event] = []

    def told() -> list[tuple[str, int]]:
        return [(event.job.last_line, event.job.bells) for event in drain(feed, seen) if isinstance(event, JobChanged)]

    wait_until(lambda: ("[b]not markup[/b]", 1) in told(), what="the last line with text, and one bell")


def test_quiet_jobs_cost_the_engine_no_wakeups(engine: Engine) -> None:
    feed = engine.events()
    for number in range(64):
        engine.spawn(JobSpec(argv=("sleep", "7503"), pty=number % 2 == 0)).result(5)
    time.sleep(0.6)  # until the last change has been told
    drain(feed, [])
    native = next(thread.native_id for thread in threading.enumerate() if thread.name == "jobdeck-engine")
    before = _switches(native)
    time.sleep(1.0)
    assert _switches(native) - before <= 1


def _switches(thread: int | None) -> int:
    status = Path(f"/proc/{psutil.Process().pid}/task/{thread}/status").read_text()
    return int(status.split("voluntary_ctxt_switches:")[1].split()[0])


def test_a_dead_engine_thread_is_told_and_answers_no_call_for_ever() -> None:
    engine = Engine()
    told = threading.Event()
    engine.on_death(told.set)
    session_id = engine.spawn(JobSpec(command="sleep 7504")).result(5).session_id
    waiting = engine.wait(session_id, 60)

    def crash() -> None:
        raise SystemExit("a crash of the loop")

    engine.post(crash)
    assert told.wait(5)
    assert not engine.alive
    with pytest.raises(EngineGone):
        waiting.result(5)
    with pytest.raises(EngineGone):
        engine.list().result(5)
    engine.shutdown()  # ends what the dead engine left, through its supervisor


def test_after_a_shutdown_calls_say_so() -> None:
    engine = Engine()
    engine.shutdown()
    engine.shutdown()
    with pytest.raises(EngineGone):
        engine.spawn(JobSpec(command="true")).result(5)
