"""The jobs as the console knows them: one slot a row, fed by the engine's events and by nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.events import Event, JobChanged, JobDismissed, JobExited, JobStarted, JobState, JobView, Resync, Snapshot


@dataclass
class Slot:
    """One row of the stack and, when it is open, one tab. A restart puts a new job into it."""

    job: JobView
    seen_chars: int = 0
    """How much output it had when it was last looked at."""
    seen_bells: int = 0

    @property
    def id(self) -> str:
        """The slot's name, the same over restarts."""
        return self.job.slot

    @property
    def live(self) -> bool:
        """Does its job run?"""
        return self.job.state is not JobState.EXITED

    @property
    def unseen(self) -> bool:
        """Has it written since it was last looked at?"""
        return self.job.total_output_chars > self.seen_chars

    @property
    def rang(self) -> bool:
        """Has it rung the bell since it was last looked at?"""
        return self.job.bells > self.seen_bells


class JobStore:
    """All slots, oldest first. It has one owner: the main screen."""

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self._slot_of: dict[str, str] = {}

    def __iter__(self) -> Iterator[Slot]:
        return iter(tuple(self._slots.values()))

    def __len__(self) -> int:
        return len(self._slots)

    def get(self, slot_id: str | None) -> Slot | None:
        """The slot of that name, if it is still there."""
        return self._slots.get(slot_id) if slot_id is not None else None

    def job(self, session_id: str) -> Slot | None:
        """The slot whose present job has this id; None for one that was restarted or is gone."""
        slot = self._slots.get(self._slot_of.get(session_id, ""))
        return slot if slot is not None and slot.job.session_id == session_id else None

    def live(self) -> list[Slot]:
        """The slots whose jobs run."""
        return [slot for slot in self._slots.values() if slot.live]

    def look_at(self, slot_id: str) -> None:
        """The operator sees this job's output: nothing of it is unseen."""
        slot = self._slots.get(slot_id)
        if slot is not None:
            slot.seen_chars, slot.seen_bells = slot.job.total_output_chars, slot.job.bells

    def apply(self, events: Sequence[Event]) -> None:
        """Take in what the engine said."""
        for event in events:
            match event:
                case Snapshot(jobs=jobs) | Resync(jobs=jobs):
                    self._replace_all(jobs)
                case JobStarted(job=job) | JobChanged(job=job) | JobExited(job=job):
                    self._put(job)
                case JobDismissed(session_id=session_id):
                    self._remove(session_id)

    def _replace_all(self, jobs: Sequence[JobView]) -> None:
        kept = {job.slot for job in jobs}
        for slot_id in [slot_id for slot_id in self._slots if slot_id not in kept]:
            del self._slots[slot_id]
        self._slot_of = {}
        for job in sorted(jobs, key=lambda job: job.started_at):
            self._put(job)

    def _put(self, job: JobView) -> None:
        slot = self._slots.get(job.slot)
        self._slot_of[job.session_id] = job.slot
        if slot is None:
            self._slots[job.slot] = Slot(job)
        elif slot.job.session_id == job.session_id:
            slot.job = job
        elif job.started_at >= slot.job.started_at:
            slot.job, slot.seen_chars, slot.seen_bells = job, 0, 0
        # Else it is late word of the job that was restarted in this slot: its row speaks for the new one.

    def _remove(self, session_id: str) -> None:
        slot = self.job(session_id)
        if slot is not None:
            del self._slots[slot.id]
        self._slot_of.pop(session_id, None)
