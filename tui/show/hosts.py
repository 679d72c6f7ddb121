"""Where a job runs, and how the link to that host stands, in words."""

from engine.events import JobState, JobView
from tui.show.cleaning import clean_line


def at_host(job: JobView) -> str:
    """`` @build1`` after a job's name; nothing for one that runs here."""
    return f" @{clean_line(job.host, 24)}" if job.host else ""


def connecting(job: JobView) -> bool:
    """Has its host not been reached yet, so that nothing of it runs?"""
    return job.link == "connecting" and job.state is JobState.RUNNING


def may_run_there(job: JobView) -> bool:
    """Has it lost its link, while nobody knows that it has ended?"""
    return job.state is JobState.EXITED and job.link == "up"
