"""Subscribers of the engine's events (spec 2.1)."""

import time
from collections import deque
from collections.abc import Callable
from threading import Condition
from typing import NamedTuple

from engine.delegation import BatchView
from engine.events import Event, JobChanged, JobDismissed, JobStarted, JobView, Resync, Snapshot
from engine.notices.letter import Letter
from engine.registry.gathering import HitCount
from engine.spec import OPERATOR, Caller
from engine.waiting import BarrierView, GoalView

_MOST_WAITING = 4_096
_COVERED_BY_RESYNC = (JobChanged, JobStarted, JobDismissed, Resync, Snapshot)


class Picture(NamedTuple):
    """All that one subscriber may know of, at one moment."""

    jobs: tuple[JobView, ...] = ()
    barriers: tuple[BarrierView, ...] = ()
    goals: tuple[GoalView, ...] = ()
    batches: tuple[BatchView, ...] = ()


class Feed:
    """An `EventFeed`. Written on the engine's loop, read on any one thread.

    A subscriber that falls behind gets its `JobChanged` latest-wins a job, and past 4,096 waiting changes a `Resync`
    in place of what it covers; of hits that are told to nobody one stands for many; ends and notices stay.
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
        self._hits = HitCount()
        self._letters: dict[int, Letter] = {}
        """The notices among the waiting events, by sequence number."""

    def begin(self, sequence: int, picture: Callable[[], Picture]) -> None:
        """All as it is now is the first event; ``picture`` gives it anew after a subscriber fell behind."""
        self._picture = picture
        self.put(Snapshot(sequence, time.time(), *picture()))

    def put(self, event: Event, letter: Letter | None = None) -> bool:
        """Add one event (on the engine's loop), with its letter if it is a notice; False when closed."""
        with self._changed:
            if self._closed:
                return False
            was_empty = not self._events
            if isinstance(event, JobChanged) and self._events:
                last = self._events[-1]
                if isinstance(last, JobChanged) and last.job.session_id == event.job.session_id:
                    self._events.pop()
                    self._covered -= 1
            self._events.append(event)
            if letter is not None:
                self._letters[event.sequence] = letter
            self._covered += isinstance(event, _COVERED_BY_RESYNC)
            if self._covered > _MOST_WAITING:
                kept = [waiting for waiting in self._events if not isinstance(waiting, _COVERED_BY_RESYNC)]
                self._events = deque([*kept, Resync(event.sequence, time.time(), *self._picture())])
                self._covered = 1
            if self._hits.came(event):
                self._events = deque(self._hits.gathered(self._events))
            self._changed.notify_all()
        if was_empty and self._on_ready is not None:
            self._on_ready()
        return True

    def take(self) -> list[Event]:
        """See `EventFeed`."""
        with self._changed:
            if self._closed:
                return []
            events = list(self._events)
            self._events.clear()
            self._hits.all_gone()
            self._covered = 0
            for sequence in tuple(self._letters):
                self._took(sequence)
            return events

    def next(self, timeout: float | None = None) -> Event:
        """See `EventFeed`."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._events or self._closed, timeout):
                raise TimeoutError(f"no event in {timeout} s")
            if self._closed:
                raise TimeoutError("the feed is closed")
            event = self._events.popleft()
            self._hits.gone(event)
            self._covered -= isinstance(event, _COVERED_BY_RESYNC)
            self._took(event.sequence)
            return event

    def close(self) -> None:
        """See `EventFeed`."""
        with self._changed:
            self._closed = True  # the notices that it holds go back on the engine's loop
            self._events.clear()
            self._changed.notify_all()
        self._on_close(self)

    def holds(self, letter: Letter) -> bool:
        """Does this notice wait here to be taken?"""
        with self._changed:
            return self._letters.get(letter.notice.sequence) is letter and not self._closed

    def withdraw(self, letter: Letter) -> None:
        """Take back a notice that hasn't been taken."""
        with self._changed:
            if self._letters.get(letter.notice.sequence) is letter:
                del self._letters[letter.notice.sequence]
                if not self._closed:
                    self._events.remove(letter.notice)

    def give_back(self) -> list[Letter]:
        """Close it; the notices to this very subscriber that it hasn't taken."""
        with self._changed:
            self._closed = True
            letters = [letter for letter in self._letters.values() if letter.owner == self.caller.owner]
            self._events.clear()
            self._letters.clear()
            self._changed.notify_all()
            return letters

    def _took(self, sequence: int) -> None:
        letter = self._letters.pop(sequence, None)
        if letter is not None and letter.owner == self.caller.owner:
            letter.take()
