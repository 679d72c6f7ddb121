"""What the verbs of agents answer, in words."""

from engine.agents.batch import Batch
from engine.delegation_results import Delegated, Stopped
from engine.results import Refused

_UNTOLD = "you can't be told of it after this call: ask with batch_result, which waits"


def delegated(batch: Batch, status: str) -> Delegated:
    """``dispatched``, or how it ended to who waited for it."""
    told = batch.caller.async_delivery or status != "dispatched"
    return Delegated(
        status=status,
        batch_id=batch.batch_id,
        live_transcripts=batch.transcripts.told,
        handles=batch.view().handles,
        results=batch.results if status != "dispatched" else (),
        notify_unsupported=None if told else _UNTOLD,
    )


def stopped(ids: list[str], why: list[str]) -> Stopped:
    """Whom it was to end, and why some live on."""
    return Stopped(status="error" if why else "ok", cancelled=tuple(ids), error="; ".join(why) or None)


def no_batch(verb: str, wanted: str) -> Refused:
    """The caller has none of that id."""
    return Refused(status="not_found", error=f"{verb}: no batch {wanted!r}; 'agents' lists them")


def no_child(verb: str, wanted: str) -> Refused:
    """Nor such a child."""
    return Refused(status="not_found", error=f"{verb}: no agent {wanted!r} that this engine runs; 'agents' lists them")
