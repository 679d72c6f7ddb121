"""One agent in the background: a job with an id of its own kind, whose end is told (spec 4.6)."""

import hashlib
import os
import time

from engine.delegation import ChildStatus, Handle
from engine.delegation_results import Sent, Stopped
from engine.redact import redact
from engine.registry.job import Job
from engine.registry.kill import end_job
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.registry.start import StartError, spawn
from engine.registry.steer import submit
from engine.results import Refused, Started
from engine.spec import Caller, JobSpec, SpecError

PREFIX = "bg_"
_GOAL_CHARS = 2_000


class BackgroundAgents:
    """Those that this engine has started. On its loop alone."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._known: dict[str, tuple[Job, str, str]] = {}
        """By session id: the job, its agent's name and its task."""

    def new_id(self, prompt: str) -> str:
        """``bg_<timestamp>_<hash>``."""
        stamp = time.strftime("%Y%m%d%H%M%S")
        mixed = hashlib.sha256(prompt.encode("utf-8", "replace") + os.urandom(8)).hexdigest()
        return f"{PREFIX}{stamp}_{mixed[:8]}"

    async def start(self, caller: Caller, session_id: str, spec: JobSpec, agent: str, prompt: str) -> Started | Refused:
        """Start it. It isn't ended with the conversation that asked for it."""
        try:
            started = await spawn(self._registry, caller, spec, session_id=session_id, batch_id=session_id)
        except (StartError, SpecError) as error:
            return refused("background", str(error))
        self._known[session_id] = (self._registry.jobs[session_id], agent, redact(prompt)[:_GOAL_CHARS])
        return started

    def handles(self) -> tuple[Handle, ...]:
        """All of them, oldest first."""
        return tuple(_handle(*one) for one in self._known.values())

    def find(self, caller: Caller, wanted: str) -> Job | None:
        """The caller's, by its id or a unique beginning."""
        job = self._registry.find(caller, wanted)
        return job if job is not None and job.session_id in self._known else None

    async def stop(self, caller: Caller, wanted: str) -> Stopped | Refused:
        """End its tree."""
        job = self.find(caller, wanted)
        if job is None or job.finished:
            return Stopped(status="ok", cancelled=())
        killed = await end_job(self._registry, job, "operator" if caller.is_operator else "process.kill")
        failed = killed.status == "error"
        return Stopped(status="error" if failed else "ok", cancelled=(job.session_id,), error=killed.error)

    def send(self, caller: Caller, wanted: str, data: str) -> Sent | Refused:
        """A line on its input."""
        job = self.find(caller, wanted)
        answer = submit(self._registry, caller, job.session_id if job is not None else wanted, data)
        if isinstance(answer, Refused):
            return answer
        return Sent(status="ok", subagent_id=job.session_id if job is not None else wanted, via="stdin")


def _handle(job: Job, agent: str, goal: str) -> Handle:
    status = ChildStatus.RUNNING
    if job.finished:
        killed = job.completion_reason == "killed"
        status = ChildStatus.CANCELLED if killed else ChildStatus.DONE if job.exit_code == 0 else ChildStatus.FAILED
    return Handle(
        subagent_id=job.session_id,
        session_id=job.session_id,
        goal=goal,
        parent=job.owner.owner,
        role="background",
        status=status,
        agent=agent,
        exit_code=job.exit_code,
        started_at=job.started_at,
        ended_at=job.exited_at,
    )
