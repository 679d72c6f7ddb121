"""What the end of a run means for a job of the file."""

from typing import NamedTuple

from engine.config.entries import JobEntry
from engine.registry.job import Job
from engine.results import exit_label


class Ended(NamedTuple):
    """A run that has ended by itself."""

    well: bool
    again: bool
    """The file says to start it again."""
    ready: bool
    """May those that wait for it go on?"""
    failure: str
    """Why they can't, in words; empty where they may, or it is started again."""
    label: str


def read_end(entry: JobEntry, job: Job, *, was_ready: bool) -> Ended:
    """``was_ready``: before it ended."""
    ready = entry.ready
    awaited = ready.exit if ready is not None else None
    label = exit_label(job.exit_code, job.completion_reason, through_shell=job.through_shell)
    well = job.completion_reason == "exited" and job.exit_code == (awaited if awaited is not None else 0)
    if entry.restart == "always" or (entry.restart == "on-failure" and not well):
        return Ended(well, again=True, ready=well and awaited is not None, failure="", label=label)
    if well and (awaited is not None or ready is None or was_ready):
        return Ended(well, again=False, ready=True, failure="", label=label)
    unready = f" before it was ready ({ready.wanted})" if well and ready is not None else ""
    return Ended(
        well, again=False, ready=False, failure=f"ended{unready}" if well else f"failed ({label})", label=label
    )
