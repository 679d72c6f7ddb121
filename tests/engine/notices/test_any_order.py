"""In whatever order ends, reads, receivers and time come: each completion exactly once, or rightly never."""

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from manual_clock import ManualClock

from engine.config import Settings
from engine.events import Completion
from engine.notices.duty import CompletionDuty
from engine.notices.inbox import Inbox
from engine.notices.letter import Letter
from engine.registry.broadcast import Broadcast
from engine.registry.feed import Feed, Picture
from engine.spec import OPERATOR, Caller

OWNERS = (Caller("conv_a"), Caller("conv_b"), OPERATOR)
JOBS = st.integers(0, 3)
CALLERS = st.sampled_from(OWNERS)


@dataclass
class Told:
    """A teller over a real broadcast, as a job's is."""

    broadcast: Broadcast
    session_id: str
    owner: str
    letter: Letter | None = None

    def tell(self, except_for: "list[Caller]") -> None:
        assert self.letter is None, "told twice"
        self.letter = self.broadcast.notify(self.owner, self._completion, except_for=except_for)

    def withdraw(self, reader: Caller | None) -> None:
        assert self.letter is not None
        self.broadcast.withdraw(self.letter, reader)

    def _completion(self, sequence: int, at: float) -> Completion:
        return Completion(
            sequence=sequence,
            at=at,
            session_id=self.session_id,
            name="",
            command="",
            owner=self.owner,
            exit_code=0,
            completion_reason="exited",
            termination_source="",
            output="",
            started_at=0.0,
            exited_at=0.0,
        )


@dataclass
class Job:
    """What the model knows of one job."""

    owner: Caller
    asked: bool
    told: Told
    duty: CompletionDuty = field(default_factory=CompletionDuty)
    ended: bool = False
    held: bool = False
    """A read of the owner's was under way at the end, and none has answered yet that left nothing under way."""
    reads: list[AbstractContextManager[None]] = field(default_factory=list)
    knowing: set[str] = field(default_factory=set)
    """Owners that had learnt of the end before they were told."""


class AnyOrder(RuleBasedStateMachine):
    """Jobs of three owners, up to one inbox each, any number of consoles; the proof fails now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.proof_fails = False
        self.broadcast = Broadcast(self.clock, Settings(), trouble=lambda _what, _error: None, warn=lambda _text: None)
        self.broadcast.postbox.may_receive = self.may_receive
        self.jobs: list[Job] = []
        self.inboxes: dict[str, Inbox] = {}
        self.consoles: list[Feed] = []
        self.received: Counter[tuple[str, str]] = Counter()
        """How often each owner has got each job's completion."""

    def may_receive(self, owner: str, caller: Caller) -> bool:
        if self.proof_fails:
            raise RuntimeError("no proof can be made")
        return owner == caller.owner

    def got(self, caller: Caller, events: object) -> None:
        assert isinstance(events, list)
        for one in events:
            if isinstance(one, Completion):
                assert caller.owner in (one.owner, ""), "told to a stranger"
                assert not next(job for job in self.jobs if job.told.session_id == one.session_id).held, "told too soon"
                if one.owner == caller.owner:
                    self.received[caller.owner, one.session_id] += 1

    @initialize()
    def one_job_each(self) -> None:
        for owner in OWNERS:
            self.start(owner, True)

    def has(self, job: Job) -> bool:
        return self.received[job.owner.owner, job.told.session_id] > 0

    # -- jobs ---------------------------------------------------------------------------------------------------------

    @rule(owner=CALLERS, asked=st.sampled_from((True, True, True, False)))
    def start(self, owner: Caller, asked: bool) -> None:
        told = Told(self.broadcast, f"proc_{len(self.jobs)}", owner.owner)
        self.jobs.append(Job(owner, asked, told))

    def pick(self, number: int) -> Job | None:
        return self.jobs[-1 - number] if number < len(self.jobs) else None

    @rule(number=JOBS)
    def end(self, number: int) -> None:
        job = self.pick(number)
        if job is not None and not job.ended:
            job.ended, job.held = True, bool(job.reads)
            job.duty.end(job.told if job.asked else None)  # type: ignore[arg-type]

    @rule(number=JOBS)
    def begin_wait(self, number: int) -> None:
        if (job := self.pick(number)) is not None:
            read = job.duty.owner_read()
            read.__enter__()
            job.reads.append(read)

    @rule(number=JOBS, saw=st.booleans())
    def answer_wait(self, number: int, saw: bool) -> None:
        """The owner's wait or kill answers: with the end, if it has come and the wait wasn't cancelled."""
        job = self.pick(number)
        if job is not None and job.reads:
            if saw:
                self.learns(job, job.owner, job.duty.consume)
            job.reads.pop().__exit__(None, None, None)
            job.held = job.held and bool(job.reads)

    @rule(number=JOBS)
    def log_to_the_end(self, number: int) -> None:
        if (job := self.pick(number)) is not None:
            self.learns(job, job.owner, job.duty.consume)

    @rule(number=JOBS, own=st.booleans())
    def poll(self, number: int, own: bool) -> None:
        if (job := self.pick(number)) is not None:
            reader = job.owner if own else OPERATOR
            self.learns(job, reader, lambda: job.duty.observe(reader))

    def learns(self, job: Job, reader: Caller, mark: Callable[[], None]) -> None:
        mark()
        if job.ended and not self.has(job):
            job.knowing.add(reader.owner)

    # -- receivers ----------------------------------------------------------------------------------------------------

    @rule(caller=CALLERS)
    def connect(self, caller: Caller) -> None:
        inbox = Inbox(None, self.broadcast.postbox.disconnect, caller)
        self.inboxes[caller.owner] = inbox
        self.broadcast.receive(inbox)

    @rule(caller=CALLERS, count=st.integers(0, 3))
    def take(self, caller: Caller, count: int) -> None:
        if (inbox := self.inboxes.get(caller.owner)) is not None:
            if count:
                self.got(caller, [inbox.next(0) for _ in range(min(count, len(inbox)))])
            else:
                self.got(caller, inbox.take())

    @rule(caller=CALLERS)
    def close(self, caller: Caller) -> None:
        if (inbox := self.inboxes.pop(caller.owner, None)) is not None:
            inbox.close()

    @rule()
    def open_console(self) -> None:
        feed = Feed(None, self.broadcast.unsubscribe)
        self.broadcast.subscribe(feed, Picture)
        self.consoles.append(feed)

    @rule(number=st.integers(0, 2))
    def console_takes(self, number: int) -> None:
        if number < len(self.consoles):
            self.got(OPERATOR, self.consoles[number].take())

    @rule(number=st.integers(0, 2))
    def close_console(self, number: int) -> None:
        if number < len(self.consoles):
            self.consoles.pop(number).close()

    # -- circumstances ------------------------------------------------------------------------------------------------

    @rule(fails=st.booleans())
    def proof(self, fails: bool) -> None:
        self.proof_fails = fails

    @rule()
    def time_goes_by(self) -> None:
        self.clock.go(2.0)

    # -- promises -----------------------------------------------------------------------------------------------------

    @invariant()
    def nothing_twice_and_nothing_that_is_known(self) -> None:
        for job in self.jobs:
            count = self.received[job.owner.owner, job.told.session_id]
            # The operator may look at several consoles at once, each shows it once.
            assert count <= 1 or job.owner.is_operator
            if job.owner.owner in job.knowing or not job.asked or not job.ended:
                assert count == 0

    def teardown(self) -> None:
        """Everybody comes at last: all that is due has been told, to each owner, exactly once."""
        self.proof_fails = False
        for job in self.jobs:
            while job.reads:
                job.reads.pop().__exit__(None, None, None)
            job.held = False
        for console in self.consoles:
            self.got(OPERATOR, console.take())
        for caller in OWNERS:
            self.connect(caller)
            self.got(caller, self.inboxes[caller.owner].take())
        for job in self.jobs:
            due = job.asked and job.ended and job.owner.owner not in job.knowing
            count = self.received[job.owner.owner, job.told.session_id]
            assert count >= 1 if due else count == 0
        self.nothing_twice_and_nothing_that_is_known()


AnyOrder.TestCase.settings = hypothesis_settings(max_examples=200, stateful_step_count=60)
TestAnyOrder = AnyOrder.TestCase


def test_who_polled_while_the_owners_wait_was_cancelled_is_not_told_again() -> None:
    course = AnyOrder()
    course.one_job_each()
    course.open_console()
    course.begin_wait(0)
    course.end(0)
    course.poll(0, own=True)
    course.answer_wait(0, saw=False)
    course.console_takes(0)
    course.teardown()
    assert not course.received


def test_what_a_cancelled_wait_held_back_is_told() -> None:
    course = AnyOrder()
    course.one_job_each()
    course.connect(OPERATOR)
    course.begin_wait(0)
    course.begin_wait(0)
    course.end(0)
    course.answer_wait(0, saw=False)
    course.take(OPERATOR, 0)
    assert not course.received
    course.answer_wait(0, saw=False)
    course.take(OPERATOR, 0)
    assert list(course.received.values()) == [1]


def test_a_console_that_is_closed_before_it_is_heard_of_takes_nothing_with_it() -> None:
    course = AnyOrder()
    course.one_job_each()
    course.end(0)
    feed = Feed(None, course.broadcast.unsubscribe)
    feed.close()
    course.broadcast.subscribe(feed, Picture)
    course.broadcast.unsubscribe(feed)
    course.open_console()
    course.console_takes(0)
    assert list(course.received.values()) == [1]


def test_a_console_that_breaks_while_it_is_told_what_was_kept_loses_nothing() -> None:
    course = AnyOrder()
    course.one_job_each()
    course.start(OPERATOR, True)
    course.end(0)
    course.end(1)
    calls: list[Feed] = []

    def broken() -> None:
        calls.append(feed)
        if len(calls) > 1:
            raise RuntimeError("this console is broken")
        feed.take()  # so that the next event calls again

    feed = Feed(broken, course.broadcast.unsubscribe)
    course.broadcast.subscribe(feed, Picture)
    course.open_console()
    course.console_takes(0)
    assert len(calls) == 2
    assert list(course.received.values()) == [1, 1]
