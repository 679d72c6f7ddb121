"""What a kill says of a job that has ended, whoever ended it and wherever it ran."""

from engine.registry.job import Job
from engine.results import Killed


def killed_as_ended(job: Job, status: str) -> Killed:
    """The result of a kill with how the job ended, under this status."""
    return Killed(
        status=status,
        session_id=job.session_id,
        exit_code=job.exit_code,
        completion_reason=job.completion_reason,
        termination_source=job.termination_source or None,
    )
