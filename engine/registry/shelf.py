"""Finished jobs stay for a while: the oldest above the limit go, and those past their time."""

import asyncio
import time
from typing import TYPE_CHECKING

from engine.events import JobDismissed
from engine.registry.job import Job

if TYPE_CHECKING:
    from engine.registry.registry import Registry


class Shelf:
    """Which finished jobs stay in a registry. Used from the engine's loop alone."""

    def __init__(self, registry: "Registry") -> None:
        self._registry = registry
        self._expiry: asyncio.TimerHandle | None = None

    def settle(self) -> None:
        """A job has finished, or came back: the oldest finished ones above the limit go."""
        finished = sorted(self._finished(), key=lambda job: job.on_shelf_since)
        for old in finished[: max(0, len(finished) - self._registry.settings.max_processes)]:
            self.remove(old)
        self._expire()

    def remove(self, job: Job) -> None:
        """Take a finished job off the shelf."""
        registry = self._registry
        if registry.jobs.get(job.session_id) is job:
            registry.views.forget(job.session_id)
            registry.publish(lambda sequence, at: JobDismissed(sequence, at, job.session_id))
            del registry.jobs[job.session_id]
            if job.keeper is not None:
                job.keeper.forgotten()

    def close(self) -> None:
        """Nothing expires any more."""
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None

    def _finished(self) -> list[Job]:
        return [job for job in self._registry.jobs.values() if job.finished]

    def _expire(self) -> None:
        """Remove what is past its time, and look again when the next is due."""
        self.close()
        now, stays = time.time(), self._registry.settings.finished_ttl_seconds
        for job in self._finished():
            if job.on_shelf_since + stays <= now:
                self.remove(job)
        later = [due for job in self._finished() if (due := job.on_shelf_since + stays) > now]
        if later and not self._registry.closing.is_set():
            self._expiry = self._registry.loop.call_later(min(later) - now, self._expire)
