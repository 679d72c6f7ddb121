"""Subscribers of the engine's events (spec 2.1)."""

import time
from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import NamedTuple

from engine.events import Event, JobChanged, JobDismissed, JobStarted, JobView, Resync, Snapshot
from engine.spec import OPERATOR, Caller
from engine.waiting import BarrierView, GoalView

_MOST_WAITING = 4_096
_COVERED_BY_RESYNC = (JobChanged, JobStarted, JobDismissed, Resync, Snapshot)


class Picture(NamedTuple):
    """All that one subscriber may know of, at one moment."""

    jobs: tuple[JobView, ...] = ()
    barriers: tuple[BarrierView, ...] = ()
    goals: tuple[GoalView, ...] = ()


class Feed:
    """An `EventFeed`. Written on the engine's loop, read on any one thread.

    A subscriber that falls behind gets its `JobChanged` latest-wins a job, and past 4,096 waiting changes a `Resync`
    in place of what it covers; ends and notices stay.
    """

    def __init__(
        self, on_ready: Callable[[], None] | None, on_close: Callable[["Feed"], None], caller: Caller = OPERATOR
    ) -> None:
        self.caller = caller
        self._picture: Callable[[], Picture] = Picture
        self._on_ready = on_ready
        self._on_close = on_close
        self._changed = Condition()
        self._events: deque[Event] = deque()
        self._closed = False
        self._covered = 0
        """Waiting events that a `Resync` would stand for."""

    def begin(self, sequence: int, picture: Callable[[], Picture]) -> None:
        """All as it is now is the first event; ``picture`` gives it anew after a subscriber fell behind."""
        self._picture = picture
        self.put(Snapshot(sequence, time.time(), *picture()))

    def put(self, event: Event) -> None:
        """Add one event (on the engine's loop)."""
        with self._changed:
            if self._closed:
                return
            was_empty = not self._events
            if isinstance(event, JobChanged) and self._events:
                last = self._events[-1]
                if isinstance(last, JobChanged) and last.job.session_id == event.job.session_id:
                    self._events.pop()
                    self._covered -= 1
            self._events.append(event)
            self._covered += isinstance(event, _COVERED_BY_RESYNC)
            if self._covered > _MOST_WAITING:
                kept = [waiting for waiting in self._events if not isinstance(waiting, _COVERED_BY_RESYNC)]
                self._events = deque([*kept, Resync(event.sequence, time.time(), *self._picture())])
                self._covered = 1
            self._changed.notify_all()
        if was_empty and self._on_ready is not None:
            self._on_ready()

    def take(self) -> list[Event]:
        """See `EventFeed`."""
        with self._changed:
            events = list(self._events)
            self._events.clear()
            self._covered = 0
            return events

    def next(self, timeout: float | None = None) -> Event:
        """See `EventFeed`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._events or self._closed, timeout):
                raise TimeoutError(f"no event in {timeout} s")
            if not self._events:
                raise TimeoutError("the feed is closed")
            event = self._events.popleft()
            self._covered -= isinstance(event, _COVERED_BY_RESYNC)
            return event

    def close(self) -> None:
        """See `EventFeed`."""
        with self._changed:
            self._closed = True
            self._events.clear()
            self._changed.notify_all()
        self._on_close(self)
