"""When the views of jobs are told: of each job once in an interval at most, and those of many jobs together."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from engine.registry.job import Job

_TOGETHER_SECONDS = 1 / 16
"""From one telling to the next at least: who hears of many jobs is woken so often, not once a job."""


class _Waiting(NamedTuple):
    job: Job
    due: float
    """On the loop's clock."""


class Views:
    """What has changed and isn't told yet. The first change after a calm is told at once."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, interval: Callable[[], float], tell: Callable[[Job], bool]
    ) -> None:
        """``interval``: seconds, as they stand in the settings; ``tell`` says whether anybody was told."""
        self._loop = loop
        self._interval = interval
        self._tell = tell
        self._waiting: dict[str, _Waiting] = {}
        self._told_at: dict[str, float] = {}
        """Of each job that was told of, on the loop's clock."""
        self._last = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def changed(self, job: Job) -> None:
        """Its view is no longer what was told: tell it in its time."""
        if job.session_id not in self._waiting:
            due = max(self._told_at.get(job.session_id, 0.0) + self._interval(), self._loop.time())
            self._waiting[job.session_id] = _Waiting(job, due)
            self._wake(due)

    def tell(self, job: Job) -> None:
        """Tell it now."""
        self._waiting.pop(job.session_id, None)
        self._told(job)

    def settled(self, session_id: str) -> None:
        """What was to be told of this job has been told in another way."""
        self._waiting.pop(session_id, None)

    def forget(self, session_id: str) -> None:
        """There is no such job any more."""
        self.settled(session_id)
        self._told_at.pop(session_id, None)

    def close(self) -> None:
        """Tell no more."""
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _wake(self, due: float) -> None:
        due = max(due, self._last + min(_TOGETHER_SECONDS, self._interval()))
        if self._timer is not None:
            if self._timer.when() <= due:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(due, self._tell_due)

    def _tell_due(self) -> None:
        self._timer = None
        self._last = now = self._loop.time()
        for session_id, waiting in tuple(self._waiting.items()):
            if waiting.due <= now:
                del self._waiting[session_id]
                self._told(waiting.job)
        if self._waiting:
            self._wake(min(waiting.due for waiting in self._waiting.values()))

    def _told(self, job: Job) -> None:
        if self._tell(job):
            self._told_at[job.session_id] = self._loop.time()
