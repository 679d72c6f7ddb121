"""Everything the engine says of its own accord, as frozen structs in one ordered stream."""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.results import EscapedProcess, exit_label


class JobState(StrEnum):
    """Where a job is in its life."""

    STARTING = "starting"
    """Spawned, its gate still closed."""
    RUNNING = "running"
    ENDING = "ending"
    """Its child is dead or being killed; what it wrote is still being read."""
    EXITED = "exited"


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job as a front end shows it: the state at one moment."""

    session_id: str
    slot: str
    """Stays the same over restarts: one row in the stack, one tab."""
    name: str
    command: str
    cwd: str
    pty: bool
    accepts_input: bool
    hides_input: bool
    """Its terminal gathers a line without echoing it: a password prompt."""
    cols: int
    rows: int
    pid: int | None
    owner: str
    tags: tuple[str, ...]
    group: str
    state: JobState
    started_at: float
    exited_at: float | None
    exit_code: int | None
    raw_exit_code: int | None
    completion_reason: str | None
    termination_source: str
    start_error: str
    """Why it failed to start, else empty."""
    through_shell: bool
    last_line: str
    """The last line with text, cleaned for one row of a table; at most 200 characters."""
    total_output_chars: int
    bells: int
    escaped: tuple[EscapedProcess, ...]

    @property
    def label(self) -> str:
        """The end in words for people (``exit 0``, ``SIGSEGV`` …); empty while it lives."""
        if self.state is not JobState.EXITED:
            return ""
        return exit_label(self.exit_code, self.completion_reason, through_shell=self.through_shell)

    @property
    def failed(self) -> bool:
        """It ended by itself and not with 0, or never started."""
        if self.state is not JobState.EXITED or self.completion_reason == "killed":
            return False
        return self.exit_code != 0


class Snapshot(msgspec.Struct, frozen=True, tag=True):
    """All jobs at ``sequence``; what follows in the feed came later."""

    sequence: int
    at: float
    jobs: tuple[JobView, ...]


class JobStarted(msgspec.Struct, frozen=True, tag=True):
    """A job runs. ``replaces``: the session id it took the slot from, when it was restarted."""

    sequence: int
    at: float
    job: JobView
    replaces: str = ""


class JobChanged(msgspec.Struct, frozen=True, tag=True):
    """Something of a job's view changed; latest wins, at most four a second."""

    sequence: int
    at: float
    job: JobView


class JobExited(msgspec.Struct, frozen=True, tag=True):
    """A job ended, in whatever way; said exactly once a job."""

    sequence: int
    at: float
    job: JobView


class JobDismissed(msgspec.Struct, frozen=True, tag=True):
    """A finished job left the shelf: dismissed, evicted or past its time."""

    sequence: int
    at: float
    session_id: str


class EngineNotice(msgspec.Struct, frozen=True, tag=True):
    """The engine has something to tell the operator that belongs to no verb's result."""

    sequence: int
    at: float
    text: str
    severity: str = "warning"
    session_id: str = ""


class Resync(msgspec.Struct, frozen=True, tag=True):
    """The subscriber fell behind: here is everything anew; changes in between were skipped."""

    sequence: int
    at: float
    jobs: tuple[JobView, ...]


Event: TypeAlias = Snapshot | Resync | JobStarted | JobChanged | JobExited | JobDismissed | EngineNotice
