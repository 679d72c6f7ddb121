"""What a job shall tell of itself: its end, lines that match, a heartbeat. Settled at the start, changed by verbs."""

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from engine.config import Settings
from engine.registry.job import Job
from engine.registry.refusals import already_exited, refused
from engine.registry.registry import Registry
from engine.registry.unstarted import missing
from engine.results import AlertsSet, Refused
from engine.spec import Caller, JobSpec, SpecError
from engine.watches.hints import hint_for

if TYPE_CHECKING:
    from engine.watches.patterns import PatternSet

_UNSUPPORTED = (
    "you can't be told anything after this call, so the end won't be told: wait for the job, poll it, or read its log"
)
_WATCH_IGNORED = (
    "notify_on_complete is on, and one job tells either its end or its matching lines: the patterns are not looked "
    "for. Leave notify_on_complete off to watch instead"
)
_HEARTBEAT_UNSUPPORTED = "you can't be told anything after this call, so there is no heartbeat: poll the job"


class Alerts(NamedTuple):
    """What stands, and what was asked for and doesn't, with the reasons."""

    notify_on_complete: bool
    notify_unsupported: str | None
    patterns: "PatternSet | None"
    watch_patterns_ignored: str | None
    heartbeat_seconds: float
    heartbeat_ignored: str | None


def settle(caller: Caller, spec: JobSpec, settings: Settings) -> Alerts:
    """What of the wishes in ``spec`` stands for this caller.

    Raises:
        SpecError: A pattern can't be searched for.
    """
    patterns = compiled(spec.watch_patterns)
    unsupported = spec.notify_on_complete and not caller.async_delivery
    notify = spec.notify_on_complete and not unsupported
    dropped = notify and patterns is not None and not caller.is_operator
    heartbeat, why_not = _heartbeat(caller, spec.heartbeat_seconds, settings)
    return Alerts(
        notify,
        _UNSUPPORTED if unsupported else None,
        None if dropped else patterns,
        _WATCH_IGNORED if dropped else None,
        heartbeat,
        why_not,
    )


def apply(job: Job, alerts: Alerts, replaced: Job | None) -> None:
    """Before the job's first byte. The operator's own patterns go over from the run that it replaces."""
    job.notify_on_complete = alerts.notify_on_complete
    if alerts.patterns is not None:
        job.watching.watch(job.owner.owner, alerts.patterns)
    if replaced is not None and not job.owner.is_operator:
        job.watching.watch("", compiled(replaced.watching.patterns("")))
    job.watching.beat(alerts.heartbeat_seconds)


def hint(caller: Caller, spec: JobSpec, alerts: Alerts) -> str | None:
    """Advice for whoever started this in the background."""
    told = alerts.notify_on_complete or alerts.patterns is not None or alerts.notify_unsupported is not None
    return hint_for(spec.line, told=told, can_be_told=caller.async_delivery)


def set_watches(registry: Registry, caller: Caller, session_id: str, patterns: tuple[str, ...]) -> AlertsSet | Refused:
    """Look for these patterns in what comes, in place of the caller's earlier ones; none: watch no longer."""
    found = _running(registry, caller, "set_watches", session_id)
    if isinstance(found, Refused):
        return found
    job, own = found, registry.owns(caller, found)
    watcher = job.owner.owner if own else ""
    try:
        wanted = compiled(tuple(patterns))
    except SpecError as error:
        return refused("set_watches", str(error))
    if own and job.notify_on_complete and not job.watching.disabled(watcher) and wanted and not caller.is_operator:
        return _stands(job, watcher, watch_patterns_ignored=_WATCH_IGNORED)
    delivered = 0 if caller.is_operator else job.watching.delivered(watcher)
    if wanted is not None and delivered >= registry.settings.watch_lifetime_hits:
        return refused("set_watches", f"{job.session_id} has told {delivered} hits, which is the most of one job")
    if own and job.watching.disabled(watcher):
        job.notify_on_complete = job.spec.notify_on_complete  # it was turned on in place of the watch
    job.watching.watch(watcher, wanted, delivered=delivered)
    if own:
        job.spec = msgspec.structs.replace(job.spec, watch_patterns=tuple(patterns))
    registry.changed(job, at_once=True)
    return _stands(job, watcher)


def set_notify(registry: Registry, caller: Caller, session_id: str, on: bool) -> AlertsSet | Refused:
    """Tell the job's owner its end, or not. An agent's own watch ends with it: one job tells the one or the other."""
    job = _running(registry, caller, "set_notify", session_id)
    if isinstance(job, Refused):
        return job
    owner = job.owner.owner
    if on and not job.owner.async_delivery:
        return _stands(job, owner, notify_unsupported=_UNSUPPORTED)
    ignored = None
    if on and not caller.is_operator and job.watching.patterns(owner):
        job.watching.watch(owner, None)
        job.spec = msgspec.structs.replace(job.spec, watch_patterns=())
        ignored = _WATCH_IGNORED
    job.notify_on_complete = on
    job.spec = msgspec.structs.replace(job.spec, notify_on_complete=on)
    registry.changed(job, at_once=True)
    return _stands(job, owner, watch_patterns_ignored=ignored)


def set_heartbeat(registry: Registry, caller: Caller, session_id: str, seconds: float) -> AlertsSet | Refused:
    """Tell the job's owner this often what it wrote; 0 is never."""
    job = _running(registry, caller, "set_heartbeat", session_id)
    if isinstance(job, Refused):
        return job
    heartbeat, why_not = _heartbeat(job.owner, seconds, registry.settings)
    if why_not is None:
        job.watching.beat(heartbeat)
        job.spec = msgspec.structs.replace(job.spec, heartbeat_seconds=heartbeat)
        registry.changed(job, at_once=True)
    return _stands(job, job.owner.owner, heartbeat_ignored=why_not)


def compiled(texts: tuple[str, ...]) -> "PatternSet | None":
    """The patterns together, None for none; raises SpecError."""
    if not texts:
        return None
    from engine.watches.patterns import compile_patterns

    return compile_patterns(texts)


def _heartbeat(owner: Caller, seconds: float, settings: Settings) -> tuple[float, str | None]:
    """The interval that stands, and why another was asked for in vain."""
    if seconds == 0:
        return 0.0, None
    if not owner.async_delivery:
        return 0.0, _HEARTBEAT_UNSUPPORTED
    least = settings.heartbeat_min_seconds
    if not least <= seconds < float("inf"):
        return 0.0, f"a heartbeat is at least {least:g} seconds apart (or 0: never), not {seconds:g}: there is none"
    return seconds, None


def _running(registry: Registry, caller: Caller, verb: str, session_id: str) -> Job | Refused:
    job = registry.find(caller, session_id)
    if job is None:
        return missing(registry, caller, verb, session_id)
    return already_exited(verb, job) if job.finished else job


def _stands(
    job: Job,
    watcher: str,
    *,
    watch_patterns_ignored: str | None = None,
    notify_unsupported: str | None = None,
    heartbeat_ignored: str | None = None,
) -> AlertsSet:
    return AlertsSet(
        status="ok",
        session_id=job.session_id,
        notify_on_complete=job.notify_on_complete,
        watch_patterns=job.watching.patterns(watcher),
        heartbeat_seconds=job.watching.heartbeat_seconds,
        watch_patterns_ignored=watch_patterns_ignored,
        notify_unsupported=notify_unsupported,
        heartbeat_ignored=heartbeat_ignored,
    )
