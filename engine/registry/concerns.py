"""Whom an event concerns."""

from collections.abc import Mapping

from engine.events import (
    BarrierReleased,
    BarrierSet,
    BatchChanged,
    BatchDone,
    Event,
    GoalChanged,
    JobChanged,
    JobDismissed,
    JobExited,
    JobStarted,
    PaneClosed,
)
from engine.registry.job import Job


def concerned(event: Event, jobs: Mapping[str, Job]) -> str | None:
    """The conversation that an event concerns besides the operator; None for the operator alone."""
    match event:
        case JobStarted() | JobChanged() | JobExited():
            return event.job.owner
        case BarrierSet() | BarrierReleased():
            return event.barrier.owner
        case GoalChanged():
            return event.goal.owner
        case BatchChanged() | BatchDone():
            return event.batch.owner
        case JobDismissed() | PaneClosed():
            job = jobs.get(event.session_id)
            return job.owner.owner if job is not None else None
    return None
