"""How a verb says no: what happened and what to do."""

from engine.registry.job import Job
from engine.results import Refused, exit_label


def not_found(verb: str, session_id: str) -> Refused:
    """No job of the caller's has that id."""
    if not str(session_id).strip():
        return Refused(status="error", error=f"{verb} needs a session_id, such as proc_4dae12ab9c01")
    return Refused(
        status="not_found",
        error=f"{verb}: no job {session_id!r}; give its id, or a unique beginning of at least 4 characters",
    )


def already_exited(verb: str, job: Job) -> Refused:
    """The job has ended, so the verb can't be done."""
    label = exit_label(job.exit_code, job.completion_reason, through_shell=job.through_shell)
    return Refused(status="already_exited", error=f"{verb}: {job.session_id} has already ended ({label})")


def without_streams(verb: str, job: Job) -> Refused:
    """The job runs and nobody has its pipe or terminal any more."""
    return refused(
        verb,
        f"{job.session_id} runs without its streams: who held them has died. It can be ended, and its end will be seen",
    )


def refused(verb: str, why: str, *, retry: bool = False) -> Refused:
    """Anything else; ``retry`` when the same call may succeed later."""
    return Refused(status="error", error=f"{verb}: {why}", retry=retry)
