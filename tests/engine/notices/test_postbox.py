"""Notices wait for their owner, within bounds, and are handed to nobody else (spec 2.2)."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from manual_clock import ManualClock
from waiting import PATIENCE, wait_until

from engine import Engine, EventFeed, NoticeFeed, Settings
from engine.events import EngineNotice, Heartbeat, Notice, Snapshot
from engine.spec import Caller

A, B = Caller("conv_a"), Caller("conv_b")
HOUR = 3_600.0


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def engine(settings: Settings, clock: ManualClock) -> Iterator[Engine]:
    """An engine on a clock that stands."""
    with Engine(settings, clock=clock) as running:
        yield running


def post(engine: Engine, owner: Caller, *texts: str) -> None:
    def notify() -> None:
        for text in texts:
            engine.registry.notify(owner.owner, _beat(text))

    engine.call("post", notify).result(PATIENCE)


def settled(engine: Engine) -> None:
    engine.list().result(PATIENCE)


def taken(engine: Engine, feed: NoticeFeed) -> list[str]:
    settled(engine)
    return [one.output if isinstance(one, Heartbeat) else type(one).__name__ for one in feed.take()]


def warnings(console: EventFeed) -> list[str]:
    return [one.text for one in console.take() if isinstance(one, EngineNotice)]


def test_an_absent_owner_finds_all_in_order_when_it_comes(engine: Engine) -> None:
    post(engine, A, "1", "2")
    feed = engine.api(A).notices()
    post(engine, A, "3")
    assert taken(engine, feed) == ["1", "2", "3"]
    assert taken(engine, engine.api(A).notices()) == []


def test_nobody_else_ever_receives_it(engine: Engine) -> None:
    post(engine, A, "1")
    others = [engine.api(B).notices(), engine.notices(), engine.api(Caller("conv_")).notices()]
    post(engine, A, "2")
    assert [taken(engine, feed) for feed in others] == [[], [], []]
    assert taken(engine, engine.api(A).notices()) == ["1", "2"]


def test_a_closed_feed_puts_back_what_was_not_taken(engine: Engine) -> None:
    feed = engine.api(A).notices()
    post(engine, A, "1", "2", "3")
    assert isinstance(feed.next(PATIENCE), Heartbeat)
    feed.close()
    feed.close()
    assert feed.take() == []
    with pytest.raises(TimeoutError):
        feed.next(0.01)
    post(engine, A, "4")
    assert taken(engine, engine.api(A).notices()) == ["2", "3", "4"]


def test_the_newest_feed_of_a_caller_takes_over(engine: Engine) -> None:
    old = engine.api(A).notices()
    post(engine, A, "1")
    new = engine.api(A).notices()
    post(engine, A, "2")
    assert taken(engine, old) == []
    assert taken(engine, new) == ["1", "2"]


def test_a_continuation_inherits_and_strangers_do_not(engine: Engine) -> None:
    post(engine, A, "1")
    engine.registry.broadcast.postbox.may_receive = lambda owner, caller: (
        owner == caller.owner or (owner, caller.owner) == ("conv_a", "conv_b")
    )
    continuation, stranger = engine.api(B).notices(), engine.api(Caller("conv_c")).notices()
    post(engine, B, "2")
    assert taken(engine, continuation) == ["1", "2"]
    assert taken(engine, stranger) == []


def test_a_proof_that_raises_leaves_the_notice_and_is_tried_again(engine: Engine, clock: ManualClock) -> None:
    console, asked = engine.events(), []

    def broken(owner: str, caller: Caller) -> bool:
        asked.append(owner)
        raise RuntimeError("the conversations can't be read")

    postbox = engine.registry.broadcast.postbox
    right, postbox.may_receive = postbox.may_receive, broken
    feed = engine.api(A).notices()
    post(engine, A, "1", "2")
    for _ in range(5):
        clock.advance(engine, 1.0)
    assert taken(engine, feed) == []
    assert len(asked) > 5
    assert len(warnings(console)) == 1
    postbox.may_receive = right
    clock.advance(engine, 1.0)
    assert taken(engine, feed) == ["1", "2"]
    clock.advance(engine, 2 * HOUR)
    wait_until(lambda: clock.waiting == 0)  # what an engine does at its start holds a lease for a while


def test_a_receiver_that_raises_is_dropped_and_its_owner_loses_nothing(engine: Engine) -> None:
    def broken() -> None:
        raise RuntimeError("this receiver is broken")

    console = engine.events()
    engine.api(A).notices(on_ready=broken)
    post(engine, A, "1", "2")
    settled(engine)
    assert len(warnings(console)) == 1
    assert taken(engine, engine.api(A).notices()) == ["1", "2"]


def test_on_ready_is_called_once_for_what_waits(engine: Engine) -> None:
    calls: list[None] = []
    feed = engine.api(A).notices(on_ready=lambda: calls.append(None))
    post(engine, A, "1", "2", "3")
    assert len(calls) == 1
    assert taken(engine, feed) == ["1", "2", "3"]
    post(engine, A, "4")
    assert len(calls) == 2


def test_of_1001_the_oldest_gives_way_and_the_console_is_told(engine: Engine) -> None:
    console = engine.events()
    post(engine, A, *map(str, range(1_000)))
    settled(engine)
    assert warnings(console) == []
    post(engine, A, "1000")
    told = warnings(console)
    assert len(told) == 1
    assert "1 notice to conv_a" in told[0] and "proc_1" in told[0] and "1,000" in told[0]
    assert taken(engine, engine.api(A).notices()) == [str(number) for number in range(1, 1_001)]


def test_who_takes_nothing_is_bounded_as_who_is_not_there(engine: Engine) -> None:
    console = engine.events()
    feed = engine.api(A).notices()
    post(engine, A, *map(str, range(1_200)))
    assert taken(engine, feed) == [str(number) for number in range(200, 1_200)]
    assert warnings(console)


def test_many_losses_are_few_warnings_and_all_are_counted(engine: Engine, clock: ManualClock) -> None:
    console = engine.events()
    post(engine, A, *map(str, range(1_500)))
    first = warnings(console)
    clock.advance(engine, 60)
    rest = warnings(console)
    assert [len(first), len(rest)] == [1, 1]
    assert "1 notice to" in first[0] and "499 notices to" in rest[0]
    clock.advance(engine, 600)
    assert warnings(console) == []


def test_what_nobody_took_in_48_hours_is_given_up_with_a_warning(engine: Engine, clock: ManualClock) -> None:
    console = engine.events()
    post(engine, A, "old")
    clock.advance(engine, 24 * HOUR)
    post(engine, A, "young")
    clock.advance(engine, 24 * HOUR - 1)
    assert warnings(console) == []
    clock.advance(engine, 1)
    told = warnings(console)
    assert len(told) == 1 and "1 notice to conv_a" in told[0] and "48 hours" in told[0]
    assert taken(engine, engine.api(A).notices()) == ["young"]
    clock.advance(engine, 100 * HOUR)
    assert warnings(console) == []
    wait_until(lambda: clock.waiting == 0)  # what an engine does at its start holds a lease for a while


def test_an_owner_who_comes_in_time_gets_it(engine: Engine, clock: ManualClock) -> None:
    post(engine, A, "1")
    clock.advance(engine, 48 * HOUR - 1)
    assert taken(engine, engine.api(A).notices()) == ["1"]


def test_a_machine_that_slept_too_long_gives_up_what_is_too_old(engine: Engine, clock: ManualClock) -> None:
    console = engine.events()
    post(engine, A, "1")
    clock.jump(engine, 49 * HOUR)
    assert taken(engine, engine.api(A).notices()) == []
    assert len(warnings(console)) == 1


def test_without_a_console_the_warning_waits_for_one(engine: Engine, clock: ManualClock) -> None:
    post(engine, A, *map(str, range(1_003)))
    clock.advance(engine, 49 * HOUR)
    console = engine.events()
    told = warnings_after_snapshot(engine, console)
    assert len(told) == 2
    assert any("3 notices" in text for text in told) and any("1,000 notices" in text for text in told)
    assert warnings_after_snapshot(engine, engine.events()) == []


def test_trouble_without_a_console_waits_for_one(engine: Engine) -> None:
    engine.call("trouble", lambda: engine.registry.notice("something is wrong")).result(PATIENCE)
    console = engine.events()
    assert warnings_after_snapshot(engine, console) == ["something is wrong"]
    assert warnings_after_snapshot(engine, engine.events()) == []


def test_too_much_for_an_operator_who_is_not_there_is_counted(engine: Engine, clock: ManualClock) -> None:
    notice = engine.registry.notice
    engine.call("flood", lambda: [notice(str(number)) for number in range(1_100)]).result(PATIENCE)
    told = warnings_after_snapshot(engine, engine.events())
    assert told[:-1] == [str(number) for number in range(100, 1_100)]
    assert "100 notices to the operator" in told[-1]


def test_two_consoles_are_told_and_a_closed_one_leaves_nothing_behind(engine: Engine) -> None:
    one, other = engine.events(), engine.events()
    engine.call("notice", lambda: engine.registry.notice("once")).result(PATIENCE)
    assert warnings_after_snapshot(engine, one) == ["once"]
    other.close()
    settled(engine)
    assert warnings_after_snapshot(engine, engine.events()) == []


def warnings_after_snapshot(engine: Engine, console: EventFeed) -> list[str]:
    settled(engine)
    events = console.take()
    assert isinstance(events[0], Snapshot)
    assert [event.sequence for event in events] == sorted({event.sequence for event in events})
    return [one.text for one in events if isinstance(one, EngineNotice)]


def test_taking_and_taking_back_at_the_same_time_never_both_succeed(engine: Engine) -> None:
    """Notices are posted and taken back on the engine's thread, while another takes them, leaves and comes back."""
    many, got, back = 3_000, Counter[str](), set[str]()
    stop = threading.Event()

    def receive() -> None:
        while not stop.is_set():
            feed = engine.api(A).notices()
            for _ in range(20):
                got.update(one.output for one in feed.take() if isinstance(one, Heartbeat))
            feed.close()

    def post_and_take_back(first: int) -> None:
        broadcast = engine.registry.broadcast
        letters = [(str(number), broadcast.notify(A.owner, _beat(str(number)))) for number in range(first, first + 10)]
        for text, letter in letters[::2]:
            broadcast.withdraw(letter)
            if not letter.taken:
                back.add(text)

    reader = threading.Thread(target=receive)
    reader.start()
    try:
        for first in range(0, many, 10):
            engine.call("post", partial(post_and_take_back, first)).result(PATIENCE)
    finally:
        stop.set()
        reader.join(PATIENCE)
    got.update(taken(engine, engine.api(A).notices()))
    assert set(got.values()) == {1}
    assert got.keys() | back == {str(number) for number in range(many)}
    assert not got.keys() & back


def _beat(text: str) -> Callable[[int, float], Notice]:
    return lambda sequence, at: Heartbeat(sequence=sequence, at=at, session_id="proc_1", output=text)
