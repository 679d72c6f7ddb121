"""What the hit feed holds: hits, ends, breakers, heartbeats and notices, newest last; bounded."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from rich.cells import cell_len

from engine.events import (
    BatchDone,
    EngineNotice,
    Event,
    Heartbeat,
    JobExited,
    Recovered,
    WatchDisabled,
    WatchHit,
    WatchOverflow,
    WatchReleased,
)
from tui.show.ages import span
from tui.show.states import Look, look, state_words

MOST_ROWS = 1_000
"""Rows kept; the oldest go first."""
MOST_CHARACTERS = 1_000
"""Of a line that are kept."""


class Kind(StrEnum):
    """What a row tells; the value names its tone as well."""

    HIT = "hit"
    HELD = "held"
    """Hits that were held back: shown greyed, counted in one row."""
    GOOD = "good"
    BAD = "bad"
    ENDED = "ended"
    """Killed, or lost."""
    PULSE = "pulse"
    """A heartbeat."""
    NOTICE = "notice"


GLYPHS = {
    Kind.HIT: "⚑",
    Kind.HELD: "⚐",
    Kind.GOOD: "✓",
    Kind.BAD: "✗",
    Kind.ENDED: "⊘",
    Kind.PULSE: "♥",
    Kind.NOTICE: "!",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the feed."""

    kind: Kind
    at: float
    text: str
    """Its line: a hit's, a heartbeat's last, or words."""
    session_id: str = ""
    """Whose it is; empty for what concerns all jobs."""
    name: str = ""
    """The job's name at that time."""
    pattern: str = ""
    line: int = -1
    """A hit's line number in the whole output, from 0; -1 where there is none to go to."""
    position: int = -1
    count: int = 1
    """So many hits stand in this row."""
    note: str = ""
    """What stands before the text: why they were held back."""


class HitLog:
    """The rows by number: they keep their numbers for life, the oldest fall away."""

    def __init__(self, name_of: Callable[[str], str], cooldown: float = 15.0) -> None:
        self._name_of = name_of
        self.cooldown = cooldown
        """Seconds that a delivered hit holds others back, for the words."""
        self._rows: deque[Row] = deque()
        self._first = 0
        self._held: dict[tuple[str, str], int] = {}
        """Where the hits of a job that one cause holds back are being counted."""
        self.widest_name = self.widest_pattern = 0
        """Cells of the longest ones so far, for columns."""
        self._lost: set[str] = set()
        """Whose loss was told as an end."""
        self.hits = 0
        """All hits so far, those in rows that are gone included."""

    @property
    def first(self) -> int:
        """The number of the oldest row."""
        return self._first

    @property
    def end(self) -> int:
        """The number after the newest row."""
        return self._first + len(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def get(self, number: int) -> Row | None:
        """The row of that number, if it is still kept."""
        return self._rows[number - self._first] if self._first <= number < self.end else None

    def apply(self, events: Sequence[Event]) -> bool:
        """Take in what the engine said. True: there is something to show."""
        before, hits = self.end, self.hits
        for event in events:
            match event:
                case WatchHit():
                    self._hit(event)
                case JobExited():
                    self._end(event)
                case WatchDisabled():
                    what = f"the watch for {event.pattern} is off" if event.pattern else "its watch is off"
                    told = " · its end will be told" if event.notify_on_complete else ""
                    self._put(Row(Kind.NOTICE, event.at, f"{what}: {event.why}{told}", event.session_id))
                case WatchOverflow():
                    until = time.strftime("%H:%M:%S", time.localtime(event.until))
                    self._put(Row(Kind.NOTICE, event.at, f"too many hits over all jobs: none is told until {until}"))
                case WatchReleased():
                    back = f" · {event.suppressed:,} were held back" if event.suppressed else ""
                    self._put(Row(Kind.NOTICE, event.at, f"hits are told again{back}"))
                    self._held.clear()
                case Heartbeat():
                    lines = event.output.rstrip().rsplit("\n", 1)
                    self._put(Row(Kind.PULSE, event.at, lines[-1][:MOST_CHARACTERS], event.session_id))
                case Recovered():
                    for fate in event.fates:
                        if fate.fate == "lost" and fate.session_id not in self._lost:
                            name = fate.name or fate.command
                            self._put(
                                Row(
                                    Kind.ENDED,
                                    event.at,
                                    fate.text.removeprefix("lost: "),
                                    fate.session_id,
                                    name,
                                    note="lost",
                                )
                            )
                case BatchDone(batch=batch):
                    kind = Kind.BAD if event.failed else Kind.GOOD if batch.status == "done" else Kind.ENDED
                    self._put(Row(kind, event.at, event.text, "", batch.name, note="batch"))
                case EngineNotice():
                    self._put(Row(Kind.NOTICE, event.at, event.text[:MOST_CHARACTERS], event.session_id))
        return (before, hits) != (self.end, self.hits)

    def _hit(self, event: WatchHit) -> None:
        self.hits += event.count
        text = event.text.split("\n", 1)[0][:MOST_CHARACTERS]
        if event.delivered:
            for held in [key for key in self._held if key[0] == event.session_id]:
                del self._held[held]
            note = f"×{event.count:,}" if event.count > 1 else ""
            self._put(
                Row(
                    Kind.HIT, event.at, text, event.session_id, "", event.pattern, event.line, event.position,
                    event.count, note,
                )
            )  # fmt: skip
            return
        key = (event.session_id, event.held_by)
        number = self._held.get(key, -1)
        row = self.get(number)
        count = event.count + (row.count if row is not None else 0)
        note = f"+{count:,} {self._held_words(event.held_by)}"
        if row is None:
            self._held[key] = self.end
            self._put(
                Row(
                    Kind.HELD, event.at, text, event.session_id, "", event.pattern, event.line, event.position,
                    count, note,
                )
            )  # fmt: skip
        else:
            self._rows[number - self._first] = replace(
                row, text=text, pattern=event.pattern, line=event.line, position=event.position, count=count, note=note
            )

    def _held_words(self, cause: str) -> str:
        match cause:
            case "cooldown":
                return f"within {self.cooldown:g} s"
            case "disabled":
                return "since the watch is off"
        return "while hits were held back"

    def _end(self, event: JobExited) -> None:
        job, seen = event.job, look(event.job)
        if job.goal_part == "judge" and seen is Look.DONE:
            return  # one that answered well is told by its verdict
        if seen is Look.LOST:
            self._lost.add(job.session_id)
        kind = Kind.GOOD if seen is Look.DONE else Kind.BAD if seen is Look.FAILED else Kind.ENDED
        words = state_words(job)
        if job.exited_at is not None and job.completion_reason != "failed_start":
            words += f" after {span(job.exited_at - job.started_at)}"
        said = job.start_error or (job.last_line if kind is Kind.BAD else "")
        self._put(Row(kind, event.at, said[:MOST_CHARACTERS], job.session_id, job.name or job.command, note=words))

    def _put(self, row: Row) -> None:
        if row.session_id and not row.name:
            row = replace(row, name=self._name_of(row.session_id))
        self.widest_name = max(self.widest_name, cell_len(row.name))
        self.widest_pattern = max(self.widest_pattern, cell_len(row.pattern))
        self._rows.append(row)
        if len(self._rows) > MOST_ROWS:
            self._rows.popleft()
            self._first += 1
            if self._first % MOST_ROWS == 0:
                self._held = {key: number for key, number in self._held.items() if number >= self._first}
