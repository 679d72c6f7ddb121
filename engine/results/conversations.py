"""What is answered to who hands jobs on, and to who asks whether an owner still has any."""

from engine.results.result import Result


class HandedOff(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``handoff``: the job is the parent's now, its end and its hits are told to that."""

    status: str
    session_id: str
    owner: str
    """The parent conversation."""
    note: str
    """What for."""


class ConversationEnded(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``end_conversation``: what became of its jobs."""

    status: str
    killed: tuple[str, ...]
    handed_off: tuple[str, ...]
    orphaned: tuple[str, ...]
    """Jobs that run on without an owner: they outlive it, or could not be ended."""
    unread: tuple[str, ...]
    """Jobs of whose end it was told and never read."""


class Active(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``has_active``: do jobs run that forbid forgetting their owner?"""

    active: bool
    session_ids: tuple[str, ...]
    older: tuple[str, ...]
    """Running jobs so old that they don't count."""


class AnyActive(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``has_any_active``: does any job run here, be it whose it may?"""

    active: bool
