"""The jobs as the console knows them: one slot a row, fed by the engine's events."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from engine.events import Event, JobChanged, JobDismissed, JobExited, JobStarted, JobState, JobView, Resync, Snapshot
from engine.results import JobUse, Usage
from tui.past import Past
from tui.show.states import Look, look


@dataclass
class Slot:
    """One row of the stack and, when it is open, one tab. A restart puts a new job into it."""

    job: JobView
    seen_chars: int = 0
    """How much output it had when it was last looked at."""
    seen_bells: int = 0
    kill_asked: str = ""
    """The session id whose end is asked for and not answered yet."""
    said_at: float = 0.0
    """When it wrote last, by the wall; as far as the console has seen it."""
    use: JobUse | None = None
    """What its tree used at the last look; None before the first."""
    past: Past = field(default_factory=Past)
    """What it used before, of the job that is in it now."""
    local: bool = False
    """The engine knows nothing of it: a line that could not even be asked for."""

    @property
    def id(self) -> str:
        """The slot's name, the same over restarts."""
        return self.job.slot

    @property
    def live(self) -> bool:
        """Does its job run?"""
        return self.job.state is not JobState.EXITED and self.job.has_run

    @property
    def ending(self) -> bool:
        """Is its end under way?"""
        return self.job.state is JobState.ENDING

    @property
    def unseen(self) -> bool:
        """Has it written since it was last looked at?"""
        return self.job.total_output_chars > self.seen_chars

    @property
    def rang(self) -> bool:
        """Has it rung the bell since it was last looked at?"""
        return self.job.bells > self.seen_bells


class Told(NamedTuple):
    """What some events have changed."""

    rows: bool
    """There are other slots, or they are in another order."""
    standing: bool
    """More than what jobs have written: how one stands, or something that isn't a job's."""


class JobStore:
    """All slots, oldest first. It has one owner: the main screen."""

    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self._slot_of: dict[str, str] = {}
        self._failed = 0

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

    def view_of(self, session_id: str) -> JobView | None:
        """What is known of this very job; None for one that was restarted or is gone."""
        slot = self.job(session_id)
        return slot.job if slot is not None else None

    def name_of(self, session_id: str) -> str:
        """How a job is called: its name, else its command; its id when nothing is known of it any more."""
        slot = self._slots.get(self._slot_of.get(session_id, ""))
        return (slot.job.name or slot.job.command) if slot is not None else session_id

    def live(self) -> list[Slot]:
        """The slots whose jobs run."""
        return [slot for slot in self._slots.values() if slot.live]

    def ours(self) -> list[Slot]:
        """Those of them that end with this console, unless they are kept: not other engines'."""
        return [slot for slot in self._slots.values() if slot.live and not slot.job.engine]

    def look_at(self, slot_id: str) -> None:
        """The operator sees this job's output: nothing of it is unseen."""
        slot = self._slots.get(slot_id)
        if slot is not None:
            slot.seen_chars, slot.seen_bells = slot.job.total_output_chars, slot.job.bells

    def apply(self, events: Sequence[Event]) -> Told:
        """Take in what the engine said."""
        before = list(self._slots)
        stood = False
        for event in events:
            known = self.job(event.job.session_id) if isinstance(event, JobChanged) else None
            stood = stood or known is None or not isinstance(event, JobChanged) or not _only_said(known.job, event.job)
            match event:
                case Snapshot(jobs=jobs) | Resync(jobs=jobs):
                    self._replace_all(jobs)
                case JobStarted(job=job) | JobChanged(job=job) | JobExited(job=job):
                    self._put(job)
                case JobDismissed(session_id=session_id):
                    self._remove(session_id)
        return Told(rows=list(self._slots) != before, standing=stood)

    def take_usage(self, usage: Usage) -> list[str]:
        """Take in what jobs use; the slots of which that is shown otherwise now."""
        uses = {use.session_id: use for use in usage.jobs}
        changed = []
        for slot in self._slots.values():
            use = uses.get(slot.job.session_id) if slot.live else None
            if use is not None:
                slot.past.add(use.cpu, use.rss)
            if use != slot.use:
                slot.use = use
                changed.append(slot.id)
        return changed

    def looks(self) -> list[Look]:
        """How each job looks now."""
        return [look(slot.job, slot.use) for slot in self._slots.values()]

    def put_failed(self, line: str, why: str) -> Slot:
        """A row for a line that failed before the engine knew of it."""
        self._failed += 1
        slot = Slot(_failed_view(f"line_{self._failed}", line, why), local=True)
        self._slots[slot.id] = slot
        return slot

    def forget(self, slot_id: str) -> None:
        """Take such a row away."""
        self._slots.pop(slot_id, None)

    def _replace_all(self, jobs: Sequence[JobView]) -> None:
        kept = {job.slot for job in jobs}
        for slot_id in [name for name, slot in self._slots.items() if name not in kept and not slot.local]:
            del self._slots[slot_id]
        self._slot_of = {}
        for job in sorted(jobs, key=lambda job: job.started_at):
            self._put(job)

    def _put(self, job: JobView) -> None:
        slot = self._slots.get(job.slot)
        placed = slot is not None and slot.job.place == job.place
        self._slot_of[job.session_id] = job.slot
        if slot is None:
            self._slots[job.slot] = Slot(job, said_at=job.exited_at or job.started_at)
        elif slot.job.session_id == job.session_id:
            if job.total_output_chars > slot.job.total_output_chars:
                slot.said_at = time.time()
            slot.job = job
        elif job.started_at >= slot.job.started_at:
            slot.job, slot.seen_chars, slot.seen_bells, slot.use, slot.past = job, 0, 0, None, Past()
            slot.said_at = job.started_at
        # Else it is late word of the job that was restarted in this slot: its row speaks for the new one.
        if job.place and not placed:
            # Jobs of the file stand as it has them, and before others: which of them comes up first is chance.
            ranked = sorted(self._slots.items(), key=lambda item: (not item[1].job.place, item[1].job.place))
            self._slots = dict(ranked)

    def _remove(self, session_id: str) -> None:
        slot = self.job(session_id)
        if slot is not None:
            del self._slots[slot.id]
        self._slot_of.pop(session_id, None)


def _only_said(before: JobView, now: JobView) -> bool:
    """Has the job done nothing but write? So most news are, four times a second a job."""
    said = {"last_line": before.last_line, "total_output_chars": before.total_output_chars}
    return msgspec.structs.replace(now, **said) == before


def _failed_view(name: str, line: str, why: str) -> JobView:
    now = time.time()
    return JobView(
        session_id=name, slot=name, name="", command=line, cwd="", pty=True, accepts_input=False, hides_input=False,
        cols=0, rows=0, pid=None, owner="", tags=(), group="", state=JobState.EXITED, started_at=now, exited_at=now,
        exit_code=None, raw_exit_code=None, completion_reason="failed_start", termination_source="failed_start",
        start_error=why, through_shell=False, last_line="", total_output_chars=0, bells=0, escaped=(),
    )  # fmt: skip
