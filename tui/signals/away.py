"""What became of the jobs that an earlier jobdeck left: told once by the engine, kept to be read again."""

from collections.abc import Callable, Sequence

import msgspec

from engine.events import Event, Fate, JobState, JobView, Recovered

_ORDER = ("lost", "detached", "finished", "readopted")
"""What asks for something first."""
JobOf = Callable[[str], JobView | None]


class Away:
    """The fates, by what asks for attention first; of each job the last that was told."""

    def __init__(self, job_of: JobOf) -> None:
        self._job_of = job_of
        self._fates: dict[str, Fate] = {}
        self._told_at: dict[str, float] = {}
        self.fresh = False
        """Has nobody read them yet?"""

    def __len__(self) -> int:
        return len(self._fates)

    @property
    def fates(self) -> tuple[Fate, ...]:
        """What asks for something first, then by when it ended."""
        return tuple(sorted(self._fates.values(), key=lambda fate: (_rank(fate), -(fate.exited_at or 0.0))))

    def apply(self, events: Sequence[Event]) -> bool:
        """Take in what the engine said, after the store has. True: there is something new."""
        before = dict(self._fates)
        for event in events:
            if isinstance(event, Recovered):
                self._fates |= {fate.session_id: fate for fate in event.fates}
                self._told_at |= {fate.session_id: event.at for fate in event.fates}
        for fate in [fate for fate in self._fates.values() if fate.fate == "readopted"]:
            self._see_end(fate)
        changed = before != self._fates
        self.fresh = self.fresh or changed
        return changed

    def count(self, *kinds: str) -> int:
        """How many had one of these fates."""
        return sum(fate.fate in kinds for fate in self._fates.values())

    def _see_end(self, fate: Fate) -> None:
        """One that is taken over whole may have ended before: its output comes first, then its end."""
        job = self._job_of(fate.session_id)
        if job is None or job.state is not JobState.EXITED or (job.exited_at or 0.0) > self._told_at[fate.session_id]:
            return  # while it is ending nobody knows how
        self._fates[fate.session_id] = msgspec.structs.replace(
            fate, fate="finished", text="all of its output is there", exit_code=job.exit_code, exited_at=job.exited_at
        )


def _rank(fate: Fate) -> int:
    return _ORDER.index(fate.fate) if fate.fate in _ORDER else len(_ORDER)
