"""Events: a snapshot, then everything in order; ends never lost, changes latest-wins and at most four a second."""

import threading
import time
from pathlib import Path

import psutil
import pytest
from waiting import PATIENCE, wait_until

from engine import Engine, EngineGone, JobSpec
from engine.events import Event, JobChanged, JobExited, JobStarted, Resync, Snapshot
from engine.registry.feed import Feed, Picture


def drain(feed: object, into: list[Event]) -> list[Event]:
    into.extend(feed.take())  # type: ignore[attr-defined]
    return into


def test_a_feed_begins_with_all_jobs_then_tells_each_change_in_order(engine: Engine) -> None:
    early = engine.spawn(JobSpec(command="sleep 7501")).result().session_id
    feed = engine.events()
    first = feed.next()
    assert isinstance(first, Snapshot)
    assert [job.session_id for job in first.jobs] == [early]
    late = engine.spawn(JobSpec(command="echo hi")).result().session_id
    engine.wait(late).result()
    seen: list[Event] = []
    wait_until(lambda: any(isinstance(event, JobExited) for event in drain(feed, seen)))
    kinds = [type(event) for event in seen if getattr(getattr(event, "job", None), "session_id", "") == late]
    assert kinds[0] is JobStarted and kinds[-1] is JobExited
    sequences = [event.sequence for event in (first, *seen)]
    assert sequences == sorted(set(sequences))


def test_a_flood_is_told_four_times_a_second(engine: Engine) -> None:
    feed = engine.events()
    began = time.monotonic()
    session_id = engine.spawn(JobSpec(argv=("yes",))).result().session_id
    seen: list[Event] = []

    def changes() -> list[JobChanged]:
        return [event for event in drain(feed, seen) if isinstance(event, JobChanged)]

    wait_until(lambda: len(changes()) >= 4, what="four changes")
    engine.kill(session_id, now=True).result()
    told = changes()
    assert len(told) <= (time.monotonic() - began) * 4 + 3  # the first, and the two that a kill tells at once
    assert told[-1].job.last_line == "y"


def test_a_subscriber_that_falls_behind_gets_all_anew_and_no_end_is_lost() -> None:
    engine = Engine()
    feed = engine.events()
    view = None
    with engine:
        session_id = engine.spawn(JobSpec(command="true")).result().session_id
        engine.wait(session_id).result()
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
    session_id = engine.spawn(JobSpec(command="true")).result().session_id
    assert engine.wait(session_id).result().status == "exited"
    assert any(isinstance(event, JobExited) for event in drain(good, []))


def test_a_closed_feed_is_told_nothing_more(engine: Engine) -> None:
    feed = engine.events()
    feed.next()
    feed.close()
    feed.close()
    engine.wait(engine.spawn(JobSpec(command="true")).result().session_id).result()
    assert feed.take() == []
    with pytest.raises(TimeoutError):
        feed.next(0.01)


def test_a_job_says_what_its_last_line_and_bells_are(engine: Engine) -> None:
    feed = engine.events()
    line = r"printf 'first\n\a\033[31m[b]not markup[/b]\033[0m   \n\n'; sleep 7502"
    engine.spawn(JobSpec(argv=("bash", "-c", line))).result()
    seen: list[Event] = []

    def told() -> list[tuple[str, int]]:
        return [(event.job.last_line, event.job.bells) for event in drain(feed, seen) if isinstance(event, JobChanged)]

    wait_until(lambda: ("[b]not markup[/b]", 1) in told(), what="the last line with text, and one bell")


def test_quiet_jobs_cost_the_engine_no_wakeups(engine: Engine) -> None:
    feed = engine.events()
    for number in range(64):
        engine.spawn(JobSpec(argv=("sleep", "7503"), pty=number % 2 == 0)).result()
    native = next(thread.native_id for thread in threading.enumerate() if thread.name == "jobdeck-engine")

    def a_quiet_second() -> bool:
        drain(feed, [])
        before = _switches(native)
        time.sleep(1.0)
        return _switches(native) - before <= 1

    wait_until(a_quiet_second, what="a second without wakeups, once the last change has been told")


def _switches(thread: int | None) -> int:
    status = Path(f"/proc/{psutil.Process().pid}/task/{thread}/status").read_text()
    return int(status.split("voluntary_ctxt_switches:")[1].split()[0])


def test_a_dead_engine_thread_is_told_and_answers_no_call_for_ever() -> None:
    engine = Engine()
    told = threading.Event()
    engine.on_death(told.set)
    session_id = engine.spawn(JobSpec(command="sleep 7504")).result().session_id
    waiting = engine.wait(session_id, 60)

    def crash() -> None:
        raise SystemExit("a crash of the loop")

    engine.post(crash)
    assert told.wait(PATIENCE)
    assert not engine.alive
    with pytest.raises(EngineGone):
        waiting.result()
    with pytest.raises(EngineGone):
        engine.list().result()
    engine.shutdown()  # ends what the dead engine left, through its supervisor


def test_after_a_shutdown_calls_say_so() -> None:
    engine = Engine()
    engine.shutdown()
    engine.shutdown()
    with pytest.raises(EngineGone):
        engine.spawn(JobSpec(command="true")).result()
