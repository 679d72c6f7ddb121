"""The room that the outputs of all jobs share."""

from collections.abc import Callable, Mapping

from engine.config import Settings
from engine.output.budget import share_out
from engine.registry.job import Job


class OutputRoom:
    """Has what is kept shrunk when it is too much in all: of finished jobs that nobody sees first."""

    def __init__(self, jobs: Mapping[str, Job], settings: Callable[[], Settings]) -> None:
        self._jobs = jobs
        self._settings = settings
        self._unchecked_chars = 0

    def came(self, chars: int) -> None:
        """Some job wrote so much."""
        self._unchecked_chars += chars
        settings = self._settings()
        if self._unchecked_chars < settings.replay_chars:
            return
        self._unchecked_chars = 0
        jobs, most = [*self._jobs.values()], settings.replay_total_chars
        if sum(job.stream.buffer.kept for job in jobs) > most:
            ranked = [(job.stream.buffer, (not job.finished) + bool(job.stream.viewers)) for job in jobs]
            share_out(ranked, most, settings.max_output_chars)
            for job in jobs:
                if job.stream.buffer.surplus:
                    job.stream.settle()
