"""Random programs over real short jobs: each completion exactly once, or rightly never."""

import time
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import PATIENCE, wait_until

from engine import Call, Engine, EngineApi, EventFeed, JobSpec, NoticeFeed, Settings
from engine.events import Completion, JobExited
from engine.results import Killed, Refused, Waited
from engine.spec import Caller

AGENT = Caller("conv_agent")
STEPS = (
    "wait",
    "glance",
    "poll",
    "log",
    "kill",
    "take",
    "close",
    "open",
    "their kill",
    "their poll",
    "their wait",
    "pause",
)


@dataclass
class Course:
    """One program on one engine, and what its owner and the console have seen."""

    engine: Engine
    agent: EngineApi
    console: EventFeed
    feed: NoticeFeed | None = None
    calls: list[tuple[str, Call[Waited | Refused] | Call[Killed | Refused]]] = field(default_factory=list)
    told: Counter[str] = field(default_factory=Counter)
    shown: Counter[str] = field(default_factory=Counter)
    ended: set[str] = field(default_factory=set)
    consumed: set[str] = field(default_factory=set)
    """The owner's own wait, log or kill answered with the end."""
    observed: set[str] = field(default_factory=set)
    operator_read: set[str] = field(default_factory=set)
    never: set[str] = field(default_factory=set)
    """It had been read, or was being waited for, while it could not have been told yet."""

    def step(self, what: str, job: str) -> None:
        agent = self.agent
        match what:
            case "wait":
                self.calls.append((job, agent.wait(job)))
                if self.running(job):
                    self.never.add(job)
            case "glance":
                self.saw(job, agent.wait(job, 0.01).result(PATIENCE))
            case "poll":
                polled = agent.poll(job).result(PATIENCE)
                if polled.status == "exited":
                    self.observed.add(job)
                    self.read(job)
            case "log":
                self.saw(job, agent.log(job).result(PATIENCE))
            case "kill":
                self.calls.append((job, agent.kill(job)))
            case "their kill":
                self.engine.kill(job)
            case "their poll":
                self.engine.poll(job)
                self.operator_read.add(job)
            case "their wait":
                self.engine.wait(job)
                self.operator_read.add(job)
            case "take":
                self.take()
            case "close":
                if self.feed is not None:
                    self.feed.close()
                    self.feed = None
            case "open":
                self.feed = agent.notices()
            case _:
                time.sleep(0.01)

    def running(self, job: str) -> bool:
        """Is it, by a look that marks nothing?"""
        rows = self.engine.list().result(PATIENCE).processes
        return next(row.status for row in rows if row.session_id == job) == "running"

    def saw(self, job: str, answer: object) -> None:
        if getattr(answer, "status", "") in ("exited", "killed", "already_exited"):
            self.consumed.add(job)
            self.read(job)

    def read(self, job: str) -> None:
        if not self.told[job]:
            self.never.add(job)

    def take(self) -> None:
        if self.feed is not None:
            self.told.update(one.session_id for one in self.feed.take() if isinstance(one, Completion))

    def look(self) -> None:
        for event in self.console.take():
            if isinstance(event, JobExited):
                self.ended.add(event.job.session_id)
            elif isinstance(event, Completion):
                self.shown[event.session_id] += 1

    def finish(self, jobs: list[str]) -> None:
        def all_ended() -> bool:
            self.look()
            return self.ended >= set(jobs)

        wait_until(all_ended)
        for job, call in self.calls:
            self.saw_late(job, call.result(PATIENCE))
        for last in (self.feed, self.agent.notices()):
            self.feed = last
            self.engine.list().result(PATIENCE)
            self.take()
        self.look()

    def saw_late(self, job: str, answer: object) -> None:
        """An answer that came at some time before now."""
        if getattr(answer, "status", "") in ("exited", "killed", "already_exited"):
            self.consumed.add(job)


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(("true", "echo out; exit 3", "sleep 0.02", "sleep 0.05; exit 1")), min_size=1, max_size=3),
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 2)), max_size=14),
)
def test_whatever_is_done_meanwhile(commands: list[str], steps: list[tuple[str, int]]) -> None:
    with Engine(Settings(term_grace_seconds=0.4)) as engine:
        agent = engine.api(AGENT)
        course = Course(engine, agent, engine.events())
        spawned = [agent.spawn(JobSpec(command=command, notify_on_complete=True)) for command in commands]
        jobs = [started.result(PATIENCE).session_id for started in spawned]
        for what, number in steps:
            course.step(what, jobs[number % len(jobs)])
        course.finish(jobs)
        for job in jobs:
            assert course.told[job] <= 1
            assert course.shown[job] <= 1
            if job in course.never:
                assert course.told[job] == 0
            if job not in course.consumed | course.observed:
                assert course.told[job] == 1
            if job not in course.consumed | course.operator_read:
                assert course.shown[job] == 1
