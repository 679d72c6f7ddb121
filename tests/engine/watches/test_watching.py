"""Watches on real jobs: hits live in the console's feed, notices to whom they are due, verbs that change them."""

import time

import pytest
from manual_clock import ManualClock
from patient import patient
from waiting import PATIENCE, wait_until

from engine import Engine, JobSpec, Settings
from engine.api.protocol import EngineApi
from engine.events import (
    Completion,
    EngineNotice,
    Event,
    Heartbeat,
    JobExited,
    WatchDisabled,
    WatchHit,
    WatchOverflow,
    WatchReleased,
)
from engine.registry.lookout import Lookout
from engine.results import AlertsSet, Refused
from engine.spec import Caller, SpecError
from engine.watches.search import Match

AGENT = Caller(owner="agent")


class Seen:
    """All events of a feed so far."""

    def __init__(self, api: EngineApi) -> None:
        self._feed = api.events()
        self._events: list[Event] = []

    def all(self) -> list[Event]:
        self._events += self._feed.take()
        return self._events

    def hits(self, session_id: str = "") -> list[WatchHit]:
        return [one for one in self.all() if isinstance(one, WatchHit) and session_id in ("", one.session_id)]

    def of(self, kind: type[Event]) -> list[Event]:
        return [one for one in self.all() if isinstance(one, kind)]

    def ended(self, session_id: str) -> bool:
        return any(isinstance(one, JobExited) and one.job.session_id == session_id for one in self.all())


def start(api: EngineApi, line: str, *patterns: str, pty: bool = False, notify: bool = False) -> str:
    spec = JobSpec(argv=("bash", "-c", line), watch_patterns=patterns, pty=pty, notify_on_complete=notify)
    return api.spawn(spec).result(PATIENCE).session_id


def test_e01_a_thousand_hits_in_the_feed_one_notice_one_end_no_completion(engine: Engine) -> None:
    agent = engine.api(AGENT)
    seen, inbox = Seen(engine), agent.notices()
    session_id = start(agent, "for i in $(seq 1 1000); do echo ERROR $i; done; exit 1", "ERROR")
    wait_until(lambda: seen.ended(session_id))
    engine.list().result(PATIENCE)  # what would follow the end has been told
    assert sum(hit.count for hit in seen.hits()) == 1_000
    assert [hit.delivered for hit in seen.hits()].count(True) == 1
    notices = inbox.take()
    assert [type(notice) for notice in notices] == [WatchHit]
    assert len(seen.of(JobExited)) == 1
    assert not seen.of(Completion)
    exited = seen.of(JobExited)[0]
    assert isinstance(exited, JobExited) and exited.job.hits == 1_000


@pytest.mark.parametrize("pty", [False, True])
def test_e02_one_hit_over_chunks_and_colours(engine: Engine, pty: bool) -> None:
    seen = Seen(engine)
    line = r'printf list; sleep 0.3; printf "\033[32mening\033[0m on port 3000\n"; sleep 7360'
    session_id = start(engine, line, "listening on port", pty=pty)
    hit = wait_until(seen.hits)[0]
    assert (hit.text, hit.position, hit.line, hit.pattern) == ("listening on port 3000", 0, 0, "listening on port")
    engine.kill(session_id, now=True).result(PATIENCE)
    assert len(seen.hits()) == 1


@pytest.mark.parametrize("line", ["echo READY", "printf READY", "printf 'one\\ntwo READY'"])
def test_a_match_of_a_job_that_ends_at_once_is_told_before_its_end(engine: Engine, line: str) -> None:
    seen = Seen(engine)
    for _ in range(20):
        session_id = start(engine, line, "READY")
        wait_until(lambda session_id=session_id: seen.ended(session_id))  # type: ignore[misc]
        kinds = [type(one) for one in seen.all() if session_id in (getattr(one, "session_id", ""), _job(one))]
        assert [kind for kind in kinds if kind in (WatchHit, JobExited)] == [WatchHit, JobExited]
        assert engine.list().result(PATIENCE).processes[-1].watch_hit


def _job(event: Event) -> str:
    return str(getattr(getattr(event, "job", None), "session_id", ""))


def test_a_prompt_is_told_while_it_waits(engine: Engine) -> None:
    seen = Seen(engine)
    spec = JobSpec(
        argv=("bash", "-c", "read -p 'Continue? [y/n] ' x; echo got $x"), pty=True, watch_patterns=("[y/n]",)
    )
    session_id = engine.spawn(spec).result(PATIENCE).session_id
    wait_until(seen.hits)
    engine.submit(session_id, "y").result(PATIENCE)
    wait_until(lambda: seen.ended(session_id))
    assert sum(hit.count for hit in seen.hits()) == 1


def test_an_agents_watch_beside_notify_is_dropped_and_it_is_said_why(engine: Engine) -> None:
    agent, seen = engine.api(AGENT), Seen(engine)
    started = agent.spawn(JobSpec(command="echo hit", watch_patterns=("hit",), notify_on_complete=True)).result(
        PATIENCE
    )
    assert started.watch_patterns == ()
    assert "notify_on_complete" in (started.watch_patterns_ignored or "")
    assert started.notify_on_complete is True
    wait_until(lambda: seen.of(Completion))
    assert not seen.hits()


def test_the_operators_own_watch_and_notify_stand_together(engine: Engine) -> None:
    seen = Seen(engine)
    session_id = start(engine, "echo hit", "hit", notify=True)
    wait_until(lambda: seen.of(Completion))
    assert [hit.session_id for hit in seen.hits()] == [session_id]


def test_the_operator_watches_an_agents_job_beside_its_own_patterns(engine: Engine) -> None:
    agent = engine.api(AGENT)
    seen, inbox = Seen(engine), agent.notices()
    session_id = start(agent, "read x; echo theirs; echo ours; sleep 7361", "theirs", pty=True)
    done = engine.set_watches(session_id, ["/^ours/"]).result(PATIENCE)
    assert isinstance(done, AlertsSet) and done.watch_patterns == ("/^ours/",)
    engine.submit(session_id, "").result(PATIENCE)
    wait_until(lambda: len(seen.hits()) == 2)
    assert {(hit.text, hit.owner) for hit in seen.hits()} == {("theirs", "agent"), ("ours", "")}
    told = [notice for notice in inbox.take() if isinstance(notice, WatchHit)]
    assert [notice.text for notice in told] == ["theirs"]
    assert agent.list().result(PATIENCE).processes[0].watch_patterns == ("theirs",)
    assert engine.list().result(PATIENCE).processes[0].watch_patterns == ("theirs", "/^ours/")
    engine.kill(session_id, now=True).result(PATIENCE)


def test_new_patterns_count_for_what_comes(engine: Engine) -> None:
    seen = Seen(engine)
    session_id = start(engine, "echo b; read x; echo b; echo a; read x", "a", pty=True)
    wait_until(lambda: "b\n" in engine.log(session_id).result(PATIENCE).to_dict()["output"], what="the whole line")
    engine.set_watches(session_id, ["b"]).result(PATIENCE)
    engine.submit(session_id, "").result(PATIENCE)
    wait_until(seen.hits)
    assert isinstance(engine.set_watches(session_id, []).result(PATIENCE), AlertsSet)
    engine.submit(session_id, "").result(PATIENCE)
    wait_until(lambda: seen.ended(session_id))
    assert [(hit.text, hit.line) for hit in seen.hits()] == [("b", 2)]


def test_what_was_set_goes_over_to_the_next_run(engine: Engine) -> None:
    agent, seen = engine.api(AGENT), Seen(engine)
    session_id = start(agent, "echo one; echo two; sleep 7362", "one")
    engine.set_watches(session_id, ["two"]).result(PATIENCE)
    agent.set_watches(session_id, ["sleep", "one"]).result(PATIENCE)
    again = engine.restart(session_id).result(PATIENCE)
    assert not isinstance(again, Refused)
    wait_until(lambda: len(seen.hits(again.session_id)) == 2)
    assert {(hit.text, hit.owner) for hit in seen.hits(again.session_id)} == {("one", "agent"), ("two", "")}
    engine.kill(again.session_id, now=True).result(PATIENCE)


@pytest.mark.parametrize(
    ("pattern", "says"),
    [
        ("", "empty"),
        ("/(?=a)b/", "look-around"),
        ("/(a)\\1/", "back"),
        ("/(/", "missing"),
        ("two\nlines", "one by one"),
        ("/(?m)^a/", "flag m"),
        ("/(?:.{1000}){3}x/", "RE2"),
        ("x" * 1_001, "1,000"),
    ],
)
def test_a_pattern_that_cant_be_searched_for_says_what_to_change(engine: Engine, pattern: str, says: str) -> None:
    with pytest.raises(SpecError, match=says.replace("(", r"\(")):
        engine.spawn(JobSpec(command="true", watch_patterns=("good", pattern))).result(PATIENCE)
    assert engine.list().result(PATIENCE).processes == ()
    session_id = start(engine, "sleep 7363", "good")
    refused = engine.set_watches(session_id, [pattern]).result(PATIENCE)
    assert isinstance(refused, Refused) and says in refused.error
    assert engine.list().result(PATIENCE).processes[0].watch_patterns == ("good",)
    engine.kill(session_id, now=True).result(PATIENCE)


def test_who_cant_be_told_later_is_told_so_now(engine: Engine) -> None:
    script = engine.api(Caller(owner="script", async_delivery=False))
    started = script.spawn(JobSpec(command="true", notify_on_complete=True, heartbeat_seconds=60)).result(PATIENCE)
    assert started.notify_on_complete is False
    assert "poll" in (started.notify_unsupported or "")
    assert started.heartbeat_seconds is None and started.heartbeat_ignored
    session_id = start(script, "sleep 7364")
    set_later = script.set_notify(session_id, True).result(PATIENCE)
    assert isinstance(set_later, AlertsSet)
    assert not set_later.notify_on_complete and set_later.notify_unsupported
    script.kill(session_id, now=True).result(PATIENCE)


def test_a_disabled_watch_turns_its_owners_notify_on(engine: Engine) -> None:
    clock = ManualClock()
    with Engine(Settings(term_grace_seconds=0.2), clock=clock) as moved:
        agent = moved.api(AGENT)
        seen, inbox = Seen(moved), agent.notices()
        session_id = start(agent, "while read x; do echo hit $x; done", "hit", pty=True)
        for number in range(3):
            for part in (0, 1):
                moved.submit(session_id, f"{number}-{part}").result(PATIENCE)
                lines = 2 * number + part + 1
                wait_until(lambda lines=lines: _hits(moved, session_id) >= lines)  # type: ignore[misc]
            clock.advance(moved, 15.5)
        wait_until(lambda: seen.of(WatchDisabled))
        moved.submit(session_id, "late").result(PATIENCE)
        moved.close(session_id).result(PATIENCE)
        wait_until(lambda: seen.ended(session_id))
        moved.list().result(PATIENCE)  # the completion follows the end in the same step of the loop
        kinds = [type(notice) for notice in inbox.take()]
        assert kinds == [WatchHit, WatchHit, WatchHit, WatchDisabled, Completion]
        assert len(seen.of(WatchDisabled)) == 1


def _hits(engine: Engine, session_id: str) -> int:
    return engine.call("hits", lambda: engine.registry.jobs[session_id].watching.hits).result(PATIENCE)


def test_the_breaker_is_told_to_the_console_and_to_every_owner_who_watches() -> None:
    clock = ManualClock()
    with Engine(Settings(term_grace_seconds=0.2), clock=clock) as moved:
        agent, other = moved.api(AGENT), moved.api(Caller(owner="other"))
        seen, inbox, theirs = Seen(moved), agent.notices(), other.notices()
        quiet = start(other, "sleep 7365", "never")
        ids = [start(agent, f"echo hit {number}; sleep 7366", "hit") for number in range(20)]
        wait_until(lambda: sum(hit.count for hit in seen.hits()) == 20)
        assert len(seen.of(WatchOverflow)) == 1
        assert sum(hit.delivered for hit in seen.hits()) == 15
        moved.kill(quiet, now=True).result(PATIENCE)  # whose jobs have ended was told that hits are held, too
        clock.advance(moved, 31)
        wait_until(lambda: seen.of(WatchReleased))
        released = seen.of(WatchReleased)[0]
        assert isinstance(released, WatchReleased) and released.suppressed == 5
        told = inbox.take()
        assert sum(isinstance(one, WatchHit) for one in told) == 15
        assert [type(one) for one in told if not isinstance(one, WatchHit)] == [WatchOverflow, WatchReleased]
        assert [type(one) for one in theirs.take()] == [WatchOverflow, WatchReleased]
        for session_id in ids:
            moved.kill(session_id, now=True).result(PATIENCE)


def test_a_heartbeat_carries_what_came_since_the_last_and_is_silent_without() -> None:
    clock = ManualClock()
    with Engine(Settings(term_grace_seconds=0.2), clock=clock) as moved:
        agent = moved.api(AGENT)
        inbox = agent.notices()
        spec = JobSpec(argv=("bash", "-c", "while read x; do echo got $x; done"), stdin="pipe", heartbeat_seconds=60)
        started = agent.spawn(spec).result(PATIENCE)
        assert started.heartbeat_seconds == 60
        session_id = started.session_id

        def say(text: str, size: int) -> None:
            agent.write(session_id, text).result(PATIENCE)
            wait_until(lambda: len(agent.log(session_id, raw=True).result(PATIENCE).to_dict()["output"]) >= size)

        say("1\n2\n", 12)
        clock.advance(moved, 59)
        assert not inbox.take()
        clock.advance(moved, 1)
        (beat,) = inbox.take()
        assert isinstance(beat, Heartbeat) and beat.output == "got 1\ngot 2\n" and not beat.output_cut
        clock.advance(moved, 600)
        assert not inbox.take()
        say("3\n", 18)
        clock.advance(moved, 60)
        say("x" * 3_000 + "\n", 3_020)
        clock.advance(moved, 60)
        beats = [one for one in inbox.take() if isinstance(one, Heartbeat)]
        assert [beat.output[:6] for beat in beats] == ["got 3\n", "xxxxxx"]
        assert len(beats[1].output) == 2_000 and beats[1].output_cut == 1_005
        assert isinstance(agent.set_heartbeat(session_id, 0).result(PATIENCE), AlertsSet)
        say("4\n", 3_026)
        clock.advance(moved, 600)
        assert not [one for one in inbox.take() if isinstance(one, Heartbeat)]
        agent.kill(session_id, now=True).result(PATIENCE)


def test_a_heartbeat_more_often_than_once_a_minute_is_refused(engine: Engine) -> None:
    started = engine.spawn(JobSpec(command="true", heartbeat_seconds=30)).result(PATIENCE)
    assert started.heartbeat_seconds is None
    assert "60" in (started.heartbeat_ignored or "")


# -- waiting for a line ------------------------------------------------------------------------------------------------


def lookout(engine: Engine, session_id: str, pattern: str, since: int | None = 0) -> tuple[Lookout, list[Match]]:
    found: list[Match] = []

    def make() -> Lookout:
        return Lookout(engine.registry, engine.registry.jobs[session_id], pattern, found.append, since)

    return engine.call("lookout", make).result(PATIENCE), found


def test_who_waits_for_a_line_finds_what_was_printed_before(engine: Engine) -> None:
    session_id = start(engine, "echo one; echo two; printf 'three '; sleep 7367")
    wait_until(lambda: "three" in engine.log(session_id).result(PATIENCE).to_dict()["output"])
    for pattern, place in (("two", (4, 1)), ("/^three/", (8, 2)), ("/^t/", (4, 1))):
        _look, found = lookout(engine, session_id, pattern)
        wait_until(lambda found=found: found)  # type: ignore[misc]
        assert [(match.at, match.line) for match in found] == [place]
    _look, found = lookout(engine, session_id, "one", since=4)
    _look, none = lookout(engine, session_id, "three", since=None)
    engine.kill(session_id, now=True).result(PATIENCE)
    assert found == [] and none == []


def test_who_waits_for_a_line_misses_none_and_is_told_once(engine: Engine) -> None:
    line = "for i in $(seq 1 3000); do echo line $i; done; sleep 7368"
    session_id = start(engine, line)
    waits = []
    for number in range(1, 3_000, 97):
        waits.append(lookout(engine, session_id, f"/^line {number}$/"))
        time.sleep(0.001)
    wait_until(lambda: all(found for _look, found in waits))
    assert [[match.line for match in found] for _look, found in waits] == [[n - 1] for n in range(1, 3_000, 97)]
    engine.kill(session_id, now=True).result(PATIENCE)


def test_a_wait_that_was_cancelled_is_told_nothing(engine: Engine) -> None:
    session_id = start(engine, "read x; echo hit; read x", pty=True)
    look, found = lookout(engine, session_id, "hit")
    other, also = lookout(engine, session_id, "hit")
    engine.call("cancel", look.cancel).result(PATIENCE)
    engine.submit(session_id, "").result(PATIENCE)
    wait_until(lambda: also)
    assert found == []
    engine.call("cancel", other.cancel).result(PATIENCE)
    engine.kill(session_id, now=True).result(PATIENCE)


def test_who_waits_for_any_of_a_jobs_own_patterns_is_told_of_what_either_watch_finds(engine: Engine) -> None:
    agent = engine.api(AGENT)
    session_id = start(agent, "echo theirs; read x; echo ours; read x", "theirs", pty=True)
    wait_until(lambda: _hits(engine, session_id))
    engine.set_watches(session_id, ["ours"]).result(PATIENCE)
    _look, found = lookout(engine, session_id, "", since=None)
    engine.submit(session_id, "").result(PATIENCE)
    wait_until(lambda: found)
    assert [match.piece for match in found] == ["ours"]
    engine.kill(session_id, now=True).result(PATIENCE)


# -- many --------------------------------------------------------------------------------------------------------------


def test_two_hundred_jobs_with_a_thousand_hits_each_leave_the_feed_live_and_the_notices_few() -> None:
    # However slow the machine, all of it happens within one window, cooldown and breaking.
    long = dict.fromkeys(("watch_breaker_window_seconds", "watch_breaker_seconds", "watch_cooldown_seconds"), 3_600.0)
    with Engine(patient(term_grace_seconds=0.4, **long)) as engine:
        agent = engine.api(AGENT)
        seen, inbox = Seen(engine), agent.notices()
        line = "read x; for ((i = 0; i < 1000; i++)); do echo ERROR $i; done"
        specs = JobSpec(argv=("bash", "-c", line), stdin="pipe", watch_patterns=("ERROR", "/fail(ed|ure)/i"))
        ids = [agent.spawn(specs).result(PATIENCE).session_id for _ in range(200)]
        for session_id in ids:
            agent.close(session_id).result(PATIENCE)
        while not all(map(seen.ended, ids)):
            assert engine.list().result(PATIENCE).processes
        assert sum(hit.count for hit in seen.hits()) == 200_000
        assert sum(hit.delivered for hit in seen.hits()) == 15
        notices = [type(notice) for notice in inbox.take()]
        assert notices.count(WatchHit) == 15
        assert set(notices) <= {WatchHit, WatchOverflow, WatchReleased}


def test_a_feed_that_nobody_takes_from_stays_small_and_counts_on(engine: Engine) -> None:
    from engine.registry.feed import Feed

    feed = Feed(None, lambda _feed: None)
    for number in range(1, 20_001):
        feed.put(
            WatchHit(
                sequence=number,
                at=0.0,
                session_id=f"proc_{number % 10}",
                pattern="x",
                text=f"x {number}",
                position=number,
                line=number,
                count=3,
                delivered=number % 5_000 == 0,
            )
        )
    events = feed.take()
    assert len(events) < 5_000
    hits = [event for event in events if isinstance(event, WatchHit)]
    assert sum(hit.count for hit in hits) == 60_000
    assert sum(hit.delivered for hit in hits) == 4
    assert [hit.sequence for hit in hits] == sorted(hit.sequence for hit in hits)


def test_an_expression_that_takes_too_long_is_given_up_and_its_owner_told() -> None:
    with Engine(Settings(term_grace_seconds=0.2, watch_regex_seconds=1e-6)) as strict:
        agent = strict.api(AGENT)
        seen, inbox = Seen(strict), agent.notices()
        line = "read x; seq 1 20000; read x; echo needle 7; read x"
        session_id = start(agent, line, "/[0-9]{3}x/", "needle", pty=True)
        alone = start(agent, line, "/[0-9]{3}x/", pty=True)
        for job in (session_id, alone):
            strict.submit(job, "").result(PATIENCE)
        wait_until(lambda: len(seen.of(WatchDisabled)) == 2)
        by_job = {one.session_id: one for one in seen.of(WatchDisabled) if isinstance(one, WatchDisabled)}
        assert by_job[session_id].pattern == by_job[alone].pattern == "/[0-9]{3}x/"
        assert not by_job[session_id].notify_on_complete and by_job[alone].notify_on_complete
        strict.submit(session_id, "").result(PATIENCE)
        wait_until(lambda: seen.hits(session_id))
        assert agent.list().result(PATIENCE).processes[0].watch_patterns == ("needle",)
        for job in (session_id, alone):
            strict.kill(job, now=True).result(PATIENCE)
        kinds = [type(notice) for notice in inbox.take()]
        assert kinds.count(WatchDisabled) == 2 and kinds.count(WatchHit) == 1


def test_a_wait_whose_expression_takes_too_long_is_given_up() -> None:
    with Engine(Settings(term_grace_seconds=0.2, watch_regex_seconds=1e-6)) as strict:
        seen = Seen(strict)
        session_id = start(strict, "read x; seq 1 20000; read x", pty=True)
        lookout(strict, session_id, "/[0-9]{3}x/")
        strict.submit(session_id, "").result(PATIENCE)
        (notice,) = wait_until(lambda: seen.of(EngineNotice))
        assert isinstance(notice, EngineNotice) and "/[0-9]{3}x/" in notice.text
        strict.kill(session_id, now=True).result(PATIENCE)
