"""How a job of the file stands, and how that is shown while it has no run."""

from enum import StrEnum

from engine.config.entries import JobEntry
from engine.events import JobState, JobView
from engine.redact import redact, redact_command
from engine.registry.job import derived_name
from engine.results import NOT_STARTED
from engine.spec import JobSpec


class Standing(StrEnum):
    """Where one is in what the file says of it."""

    IDLE = "idle"
    """Never started, or not since it was read."""
    WAITING = "waiting"
    """For jobs that aren't ready."""
    RUNNING = "running"
    BACKING_OFF = "backing off"
    """It has ended, and is started again in a while."""
    ENDED = "ended"
    """By itself and well."""
    FAILED = "failed"
    """And isn't started again."""
    STOPPED = "stopped"
    """By hand: it stays so."""
    ELSEWHERE = "elsewhere"
    """Another jobdeck has a run of it that goes on: none is begun beside that."""


def view_without_run(
    slot: str,
    name: str,
    entry: JobEntry,
    cwd: str,
    standing: Standing,
    *,
    place: int,
    since: float,
    waits: str,
    error: str,
) -> JobView:
    """A row for a job that has nothing to show: it waits, was never started, or could not be asked for."""
    waiting = standing is Standing.WAITING
    spec = JobSpec(command=entry.command or None, argv=entry.argv or None, name=name)
    return JobView(
        session_id=slot, slot=slot, name=redact(name) or derived_name(spec), command=redact_command(spec.line), cwd=cwd,
        pty=entry.pty, accepts_input=False, hides_input=False, cols=0, rows=0, pid=None, owner="", tags=entry.tags,
        group="", state=JobState.STARTING if waiting else JobState.EXITED, started_at=since,
        exited_at=None if waiting else since, exit_code=None, raw_exit_code=None,
        completion_reason=None if waiting else "failed_start" if error else NOT_STARTED, termination_source="",
        start_error=redact(error), through_shell=False, last_line="", total_output_chars=0, bells=0, escaped=(),
        waits=waits, place=place,
    )  # fmt: skip
