"""What agents do as the console knows it: batches, background agents, and what came of them, until it was read."""

from collections.abc import Sequence
from typing import NamedTuple

from engine.delegation import BatchView, Handle, TaskResult
from engine.events import (
    BatchChanged,
    BatchDone,
    Completion,
    Event,
    JobChanged,
    JobExited,
    JobStarted,
    JobView,
    Resync,
    Snapshot,
)


class Entry(NamedTuple):
    """One line of what agents do: a batch, a child of one (then with its ``handle``), or a background agent."""

    id: str
    batch: BatchView | None = None
    handle: Handle | None = None
    job: JobView | None = None
    """Of a background agent."""


class Batches:
    """Batches and background agents by id."""

    def __init__(self) -> None:
        self._batches: dict[str, BatchView] = {}
        self._background: dict[str, JobView] = {}
        self._results: dict[str, tuple[TaskResult, ...]] = {}
        self._said: dict[str, str] = {}
        self.unread: list[str] = []
        """Of these it is known what came of them, and nobody has read it; the newest last."""

    def __len__(self) -> int:
        return len(self._batches) + len(self._background)

    def batch(self, batch_id: str) -> BatchView | None:
        """A batch as it stands."""
        return self._batches.get(batch_id)

    def background(self, session_id: str) -> JobView | None:
        """A background agent's job."""
        return self._background.get(session_id)

    def results(self, batch_id: str) -> tuple[TaskResult, ...] | None:
        """What came of a batch's tasks; None where that isn't known here."""
        return self._results.get(batch_id)

    def said(self, session_id: str) -> str:
        """What a background agent printed last."""
        return self._said.get(session_id, "")

    def hear(self, session_id: str, said: str) -> None:
        """The engine was asked what a background agent has printed."""
        self._said[session_id] = said

    def learn(self, batch_id: str, results: tuple[TaskResult, ...]) -> None:
        """The engine was asked."""
        self._results[batch_id] = results

    def read(self) -> None:
        """Somebody has read all that there is."""
        self.unread.clear()

    def entries(self) -> list[Entry]:
        """The newest above, each batch with its children below it."""
        units: list[tuple[float, list[Entry]]] = []
        for batch in self._batches.values():
            children = [Entry(handle.subagent_id, batch, handle) for handle in batch.handles]
            units.append((batch.started_at, [Entry(batch.batch_id, batch), *children]))
        units += [(job.started_at, [Entry(job.session_id, job=job)]) for job in self._background.values()]
        return [entry for _at, lines in sorted(units, key=lambda unit: -unit[0]) for entry in lines]

    def apply(self, events: Sequence[Event]) -> bool:
        """Take in what the engine said. True: something is otherwise than before."""
        changed = False
        for event in events:
            match event:
                case Snapshot() | Resync():
                    self._batches = {batch.batch_id: batch for batch in event.batches}
                    self._background = {}
                    for job in event.jobs:
                        self._take_job(job)
                    changed = True
                case BatchChanged(batch=batch):
                    self._batches[batch.batch_id] = batch
                    changed = True
                case BatchDone(batch=batch):
                    self._batches[batch.batch_id] = batch
                    self._results[batch.batch_id] = event.results
                    self._unread(batch.batch_id)
                    changed = True
                case JobStarted(job=job) | JobChanged(job=job) | JobExited(job=job):
                    changed = self._take_job(job) or changed
                case Completion() if event.session_id in self._background:
                    self._said[event.session_id] = event.start_error or event.output
                    self._unread(event.session_id)
                    changed = True
        return changed

    def _take_job(self, job: JobView) -> bool:
        if not job.batch_id or job.batch_id != job.session_id:
            return False
        self._background[job.session_id] = job
        return True

    def _unread(self, name: str) -> None:
        if name not in self.unread:
            self.unread.append(name)
