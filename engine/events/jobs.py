"""What is said of a job: that it runs, has changed, has ended, is gone."""

import msgspec

from engine.events.view import JobView
from engine.results import end_text


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


class Completion(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A job that was to tell its end has ended: told at most once a job, to its owner and to the operator.

    Not told at all if the owner learnt of the end by its own ``wait``, ``log`` or ``kill``.
    """

    sequence: int
    at: float
    session_id: str
    name: str
    command: str
    owner: str
    """The conversation it is addressed to; empty for the operator."""
    exit_code: int | None
    completion_reason: str
    termination_source: str
    output: str
    """The end of the output, cleaned and redacted: at most 2000 characters, from the start of a line on."""
    output_cut: int = 0
    """Characters of output before it."""
    started_at: float
    exited_at: float
    start_error: str = ""
    """Why it failed to start, else empty."""
    through_shell: bool = False

    @property
    def text(self) -> str:
        """The end in words for people: ``✓ finished``, ``✗ failed (exit 2)`` …"""
        return end_text(
            self.exit_code, self.completion_reason, self.termination_source, through_shell=self.through_shell
        )

    @property
    def failed(self) -> bool:
        """It ended by itself and not with 0, never started, or was lost."""
        return self.completion_reason != "killed" and self.exit_code != 0


class JobDismissed(msgspec.Struct, frozen=True, tag=True):
    """A finished job left the shelf: dismissed, evicted or past its time."""

    sequence: int
    at: float
    session_id: str


class PaneClosed(msgspec.Struct, frozen=True, tag=True):
    """Consoles are to close this job's tab; the job goes on."""

    sequence: int
    at: float
    session_id: str
