"""The results of the verbs of agents and batches (spec 4.6), one frozen struct each."""

import msgspec

from engine.delegation import BatchView, Handle, TaskResult, Transcripts
from engine.results import Result


class Delegated(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``delegate``: the batch runs (``dispatched``). To a child, which waits for its own children, how
    it ended: ``done``, ``error`` or ``stopped``."""

    status: str
    batch_id: str
    live_transcripts: Transcripts
    handles: tuple[Handle, ...]
    results: tuple[TaskResult, ...] = ()
    notify_unsupported: str | None = None


class BatchResult(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``batch_result``: ``running`` after its time, else how the batch ended, all results in order."""

    status: str
    batch: BatchView
    results: tuple[TaskResult, ...] = ()


class AgentRow(msgspec.Struct, frozen=True, kw_only=True):
    """An agent of the configuration."""

    name: str
    command: str
    """Redacted, as a shell would need it."""
    send: str
    """``stdin`` or ``inbox``."""


class AgentsListed(Result, frozen=True, kw_only=True):
    """The result of ``agents``: which there are, and what the caller has them do."""

    agents: tuple[AgentRow, ...]
    background: tuple[Handle, ...]
    batches: tuple[BatchView, ...]
    """Oldest first."""
    slots: int
    """So many batches run at a time."""
    slots_free: int


class Stopped(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``stop`` and ``cancel``: whose trees were ended; ``status`` is ``ok`` or ``error``."""

    status: str
    cancelled: tuple[str, ...]
    """Their subagent ids."""
    error: str | None = None


class Sent(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``send``: the message is on its way."""

    status: str
    subagent_id: str
    via: str
    """``stdin`` or ``inbox``."""


class RoomAwaited(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``await_room``: ``free`` or ``full``."""

    status: str
    slots_free: int
