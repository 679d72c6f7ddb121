"""What can be waited for: a job, a process, a time. Each says what it is and watches for it."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from engine.barriers.process_end import ProcessEnd
from engine.barriers.session_end import SessionWatch
from engine.clock import Timer
from engine.process.identity import Identity
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.waiting import BarrierView, Release

Told = Callable[[Release], object]


class Target(Protocol):
    """Something that comes, or never will."""

    def name(self, view: BarrierView) -> BarrierView:
        """The view with what is waited for filled in."""

    def watch(self, registry: Registry, told: Told) -> Callable[[], object]:
        """Tell the release on the loop, not before this returns; what is returned ends the watching.

        Raises:
            ValueError: It can't be watched for; the text says why.
        """


class TimeTarget:
    """A time on the wall clock."""

    def __init__(self, when: float) -> None:
        self.when = when

    def name(self, view: BarrierView) -> BarrierView:
        """See `Target`."""
        return msgspec.structs.replace(view, kind="time", deadline=self.when)

    def watch(self, registry: Registry, told: Told) -> Callable[[], object]:
        """See `Target`."""
        release = Release(outcome="time", happened=True, text="the time has come")
        timer: Timer = registry.clock.call_at_wall(self.when, lambda: told(release))
        return timer.cancel


class PidTarget:
    """The end of a process, be it whose it may."""

    def __init__(self, identity: Identity, command: str) -> None:
        self.identity = identity
        self.command = command

    def name(self, view: BarrierView) -> BarrierView:
        """See `Target`."""
        return msgspec.structs.replace(view, kind="pid", pid=self.identity.pid, target=self.command)

    def watch(self, registry: Registry, told: Told) -> Callable[[], object]:
        """See `Target`."""
        release = Release(outcome="gone", happened=True, text=f"process {self.identity.pid} has ended")
        return ProcessEnd(registry, self.identity, lambda: told(release)).close


class SessionTarget:
    """A job's end, or a line of its output."""

    def __init__(self, job: Job, on: str, pattern: str, since: int | None) -> None:
        self.job = job
        self.on = on
        self.pattern = pattern
        self.since = since
        """Where in the output to begin to look for the line; None: with what comes."""

    def name(self, view: BarrierView) -> BarrierView:
        """See `Target`."""
        return msgspec.structs.replace(
            view,
            kind="session",
            session_id=self.job.session_id,
            on=self.on,
            pattern=self.pattern,
            target=self.job.name,
        )

    def watch(self, registry: Registry, told: Told) -> Callable[[], object]:
        """See `Target`."""
        return SessionWatch(registry, self.job, self.on, self.pattern, self.since, told).close


class LostTarget:
    """A job that went with the engine that ran it: what was noted down of it is told once more, with its release."""

    def __init__(self, noted: BarrierView) -> None:
        self._noted = noted

    def name(self, view: BarrierView) -> BarrierView:
        """See `Target`."""
        noted = self._noted
        return msgspec.structs.replace(
            view,
            kind="session",
            session_id=noted.session_id,
            on=noted.on,
            pattern=noted.pattern,
            target=noted.target,
        )

    def watch(self, registry: Registry, told: Told) -> Callable[[], object]:
        """See `Target`."""
        release = Release(outcome="target_lost", happened=False, text="its engine ended, and the job with it")
        return registry.loop.call_soon(told, release).cancel
