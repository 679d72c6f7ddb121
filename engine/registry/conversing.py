"""The verbs of conversations: hand a job off, end with all jobs, say whether some run (spec 4.3, 4.5)."""

import time

from engine.events import Completion, PaneClosed
from engine.ownership.conversations import parent_of
from engine.registry.bulk import end_jobs
from engine.registry.refusals import already_exited, not_found, refused
from engine.registry.registry import Registry
from engine.results import Active, AnyActive, ConversationEnded, Done, HandedOff, Refused
from engine.spec import Caller


def handoff(registry: Registry, caller: Caller, session_id: str, data: str) -> HandedOff | Refused:
    """Owner, whom its end and hits are told to, and the checkpoint change together, in one step of the loop."""
    job = registry.find(caller, session_id)
    if job is None:
        return not_found("handoff", session_id)
    parent = parent_of(job.owner.owner)
    most = registry.settings.handoffs_per_child
    if caller.is_operator or not parent:
        return refused("handoff", "only a conversation that works for another (hello with parent) can hand a job off")
    if not data.strip():
        return refused("handoff", "say what for: the parent reads it beside the job")
    if job.finished or job.exit_seen:
        return already_exited("handoff", job)
    given = [other for other in registry.jobs.values() if other.handed_by == job.owner.owner]
    if len(given) >= most:
        return refused("handoff", f"{most} jobs were handed off already, which is the most for one conversation")
    job.hand_over(Caller(owner=parent), data.strip())
    registry.changed(job, at_once=True)
    return HandedOff(status="ok", session_id=job.session_id, owner=parent, note=job.handoff_note)


async def end_conversation(registry: Registry, caller: Caller) -> ConversationEnded | Refused:
    """End what the conversation owns; who inherits it (a continuation) is another conversation and stays."""
    if caller.is_operator:
        return refused("end_conversation", "the operator isn't a conversation: quit the console, or kill_all")
    owned = [job for job in registry.jobs.values() if job.owner.owner == caller.owner]
    running = [job for job in owned if not job.finished]
    ended = await end_jobs([job for job in running if not job.batch_id], registry, "owner_exit", consume=False)
    left = tuple(job.session_id for job in running if not job.finished)
    unread = registry.broadcast.postbox.kept_for(caller.owner)
    return ConversationEnded(
        status="ended",
        killed=ended.killed,
        handed_off=tuple(job.session_id for job in registry.jobs.values() if job.handed_by == caller.owner),
        orphaned=left,
        unread=tuple(one.notice.session_id for one in unread if isinstance(one.notice, Completion)),
    )


def has_active(registry: Registry, caller: Caller, owner: str | None, max_age: float | None) -> Active | Refused:
    """Which running jobs forbid forgetting their owner."""
    whose = caller if owner is None else Caller(owner)
    if not (caller.is_operator or registry.broadcast.postbox.proven(whose.owner, caller)):
        return refused("has_active", "a conversation can ask only of itself and what it continues")
    hours = registry.settings.bg_process_max_age_hours if max_age is None else max_age
    if hours < 0:
        return refused("has_active", f"max_age is a number of hours, 0 for any age, not {hours:g}")
    everybody = caller.is_operator and owner is None
    running = [job for job in registry.jobs.values() if not job.finished and (everybody or registry.owns(whose, job))]
    began = time.time() - hours * 3_600 if hours else 0.0
    young = [job for job in running if job.started_at >= began]
    return Active(
        active=bool(young),
        session_ids=tuple(job.session_id for job in young),
        older=tuple(job.session_id for job in running if job.started_at < began),
    )


def has_any_active(registry: Registry) -> AnyActive:
    """Does any job run, be it whose it may and of any age?"""
    return AnyActive(active=any(not job.finished for job in registry.jobs.values()))


def close_terminal(registry: Registry, caller: Caller, session_id: str) -> Done | Refused:
    """Tell all consoles to close the job's tab."""
    job = registry.find(caller, session_id)
    if job is None:
        return not_found("close_terminal", session_id)
    registry.publish(lambda sequence, at: PaneClosed(sequence, at, job.session_id))
    return Done(status="ok", session_id=job.session_id)
