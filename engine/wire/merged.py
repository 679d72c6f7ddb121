"""The events of several engines as one stream."""

import time
from collections.abc import Callable
from threading import Condition
from typing import Any, NamedTuple

import msgspec

from engine.api.protocol import EventFeed
from engine.delegation import BatchView
from engine.events import (
    BarrierReleased,
    BarrierSet,
    BatchChanged,
    ConfigurationChanged,
    EngineNotice,
    Event,
    GoalChanged,
    JobChanged,
    JobDismissed,
    JobExited,
    JobStarted,
    JobState,
    JobView,
    Recovered,
    Resync,
    Snapshot,
)
from engine.waiting import BarrierView, GoalView


class Member(NamedTuple):
    """One engine of a stream; the own one has neither id nor title."""

    id: str
    title: str


class _Known:
    """What one engine has said of itself."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.feed: EventFeed | None = None
        self.jobs: dict[str, JobView] = {}
        self.barriers: dict[str, BarrierView] = {}
        self.goals: tuple[GoalView, ...] = ()
        self.batches: dict[str, BatchView] = {}
        self.begun = False

    def has_agent(self, name: str) -> bool:
        """Is it a batch of this engine's, or a child of one?"""
        return name in self.batches or any(
            handle.subagent_id == name for batch in self.batches.values() for handle in batch.handles
        )


class MergedFeed:
    """An `EventFeed`. Engines join and leave on any thread; it is taken on one.

    Each engine's part waits where it was made until it is taken, so that a slow reader costs what it costs there.
    """

    def __init__(self, on_ready: Callable[[], None] | None) -> None:
        self._on_ready = on_ready
        self._changed = Condition()
        self._known: dict[str, _Known] = {}
        self._own: list[Event] = []
        """What this stream itself says: who came and went."""
        self._ready = False
        self._closed = False
        self._begun = False

    def join(self, member: Member, subscribe: Callable[[Callable[[], None]], EventFeed]) -> None:
        """Hear this engine too."""
        known = _Known(member)
        with self._changed:
            if self._closed:
                return
            self._known[member.id] = known
        known.feed = subscribe(self._tell)
        self._tell()

    def leave(self, engine_id: str) -> None:
        """This engine is gone, and its jobs are out of sight."""
        with self._changed:
            known = self._known.pop(engine_id, None)
            if known is None or self._closed:
                return
            running = sum(job.exited_at is None for job in known.jobs.values())
            text = f"{known.member.title} has gone"
            text += f", with {running} running job{'s' * (running != 1)}" if running else ""
            self._own += [
                JobChanged(0, time.time(), _lost(job)) for job in known.jobs.values() if job.exited_at is None
            ]
            self._own += [EngineNotice(0, time.time(), text, "information"), self._picture()]
        self._tell()

    def engine_of(self, session_id: str) -> str:
        """The id of the engine that has this job, wait, batch or child of one; empty for the own one's, and for what is
        unknown."""
        with self._changed:
            for known in self._known.values():
                if session_id in known.jobs or session_id in known.barriers or known.has_agent(session_id):
                    return known.member.id
        return ""

    def take(self) -> list[Event]:
        """See `EventFeed`."""
        with self._changed:
            self._ready = False
            if self._closed:
                return []
            events, self._own = self._own, []
            members = list(self._known.values())
        for known in members:
            if known.feed is not None:
                for event in known.feed.take():
                    events += self._heard(known, event)
        return events

    def next(self, timeout: float | None = None) -> Event:
        """See `EventFeed`. For tests and simple readers: what is taken together is told one by one."""
        ends = None if timeout is None else time.monotonic() + timeout
        while True:
            with self._changed:
                if self._own and self._begun:
                    return self._own.pop(0)
            events = self.take()
            if events:
                with self._changed:
                    self._own = [*events[1:], *self._own]
                return events[0]
            with self._changed:
                left = None if ends is None else ends - time.monotonic()
                if self._closed or not self._changed.wait_for(lambda: self._ready or self._closed, left):
                    raise TimeoutError(f"no event in {timeout} s")

    def close(self) -> None:
        """See `EventFeed`."""
        with self._changed:
            self._closed = True
            members, self._known = list(self._known.values()), {}
            self._changed.notify_all()
        for known in members:
            if known.feed is not None:
                known.feed.close()

    def _tell(self) -> None:
        with self._changed:
            first, self._ready = not self._ready, True
            self._changed.notify_all()
            closed = self._closed
        if first and not closed and self._on_ready is not None:
            self._on_ready()

    # What one engine says, as all of it together

    def _heard(self, known: _Known, event: Event) -> list[Event]:
        with self._changed:
            return self._take_in(known, event)

    def _take_in(self, known: _Known, event: Event) -> list[Event]:
        title = known.member.title
        match event:
            case Snapshot() | Resync():
                first = not known.begun
                known.jobs = {job.session_id: _named(job, title) for job in event.jobs}
                known.barriers = {barrier.barrier_id: barrier for barrier in event.barriers}
                known.goals = () if title else event.goals
                known.batches = {batch.batch_id: batch for batch in event.batches}
                known.begun = True
                return [self._picture(), *([_found(title, known.jobs)] if first and title and known.jobs else [])]
            case JobStarted() | JobChanged() | JobExited():
                job = known.jobs[event.job.session_id] = _named(event.job, title)
                if isinstance(event, JobStarted) and event.replaces == job.slot:
                    known.jobs.pop(event.replaces, None)  # a row without a run, which this one is now
                return [msgspec.structs.replace(event, job=job)]
            case JobDismissed():
                known.jobs.pop(event.session_id, None)
            case BarrierSet():
                known.barriers[event.barrier.barrier_id] = event.barrier
            case BarrierReleased():
                known.barriers.pop(event.barrier.barrier_id, None)
            case BatchChanged():
                known.batches[event.batch.batch_id] = event.batch
            case EngineNotice() if title:
                return [msgspec.structs.replace(event, text=f"{title}: {event.text}")]
            case ConfigurationChanged() if title:
                return []  # it is about that engine
            case Recovered() if title:
                return []  # it tells its own console
            case GoalChanged():
                if title:
                    return []  # every engine tells of the home's goals: the own one's word is enough
                others = tuple(goal for goal in known.goals if goal.goal_id != event.goal.goal_id)
                known.goals = (*others, event.goal) if event.goal.status != "cleared" else others
        return [event]

    def _picture(self) -> Snapshot | Resync:
        members = [known for known in self._known.values() if known.begun]
        jobs = tuple(job for known in members for job in known.jobs.values())
        barriers = tuple(barrier for known in members for barrier in known.barriers.values())
        goals = tuple(goal for known in members for goal in known.goals)
        batches = tuple(batch for known in members for batch in known.batches.values())
        kind: Any = Resync if self._begun else Snapshot
        self._begun = True
        picture: Snapshot | Resync = kind(0, time.time(), jobs, barriers, goals, batches)
        return picture


def _found(title: str, jobs: dict[str, JobView]) -> EngineNotice:
    running = sum(job.exited_at is None for job in jobs.values())
    text = f"{title} is here too, with {running} running job{'s' * (running != 1)}"
    return EngineNotice(0, time.time(), text, "information")


def _lost(job: JobView) -> JobView:
    """Whoever still shows it is to know that nothing more will be heard of it."""
    return msgspec.structs.replace(
        job,
        state=JobState.EXITED,
        exited_at=time.time(),
        completion_reason="lost",
        termination_source="lost",
        accepts_input=False,
        ending=None,
    )


def _named(job: JobView, title: str) -> JobView:
    return msgspec.structs.replace(job, engine=title) if title else job
