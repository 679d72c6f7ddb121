"""Viewers: a replay and live chunks of one job, joined in one step (design 4)."""

from functools import partial

from engine.output.viewer import Viewer
from engine.registry.refusals import not_found, refused
from engine.registry.registry import Registry
from engine.registry.tails import shown_in_pane
from engine.replay import Sink
from engine.results import Refused
from engine.spec import Caller


def attach(
    registry: Registry, caller: Caller, session_id: str, at: int | None, sink: Sink, redacted: bool | None = None
) -> Viewer | Refused:
    """Deliver the replay from ``at`` and stay for what comes; only the operator may see secrets."""
    job = registry.find(caller, session_id)
    if job is None:
        return not_found("attach", session_id)
    if at is not None and not 0 <= at <= job.stream.buffer.end:
        return refused("attach", f"position {at} is not in the output: 0 to {job.stream.buffer.end}")
    if redacted is None:
        redacted = registry.settings.redact_panes
    mask = partial(shown_in_pane, job) if redacted or not caller.is_operator else None
    return job.stream.view(at, sink, mask)
