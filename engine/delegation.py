"""Background agents and batches of them: what is asked for, and how they stand, as frozen structs (spec 4.6)."""

from enum import StrEnum

import msgspec


class AgentTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One task of a batch."""

    goal: str
    """What is to be done, in words: the agent's prompt."""
    agent: str = ""
    """Which agent does it; empty: the batch's."""
    role: str = ""
    """What it is in the batch, for people: ``reviewer``."""


class ChildStatus(StrEnum):
    """Where one child of a batch is in its life."""

    WAITING = "waiting"
    """As many run as may."""
    RUNNING = "running"
    DONE = "done"
    """It ended with exit code 0."""
    FAILED = "failed"
    """It ended otherwise, couldn't be started, or its engine died."""
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        """Will it change no more?"""
        return self not in (ChildStatus.WAITING, ChildStatus.RUNNING)


class Handle(msgspec.Struct, frozen=True, kw_only=True):
    """One child of a batch, or one background agent; kept when it is done."""

    subagent_id: str
    """``sub_`` and 8 hex digits."""
    session_id: str
    """Its job; empty before it is started."""
    goal: str
    """Redacted."""
    parent: str
    """The child that dispatched it, else the conversation that did; empty: the operator."""
    role: str
    status: ChildStatus
    agent: str
    batch_id: str = ""
    exit_code: int | None = None
    started_at: float | None = None
    ended_at: float | None = None


class Transcripts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where one can follow what the children of a batch do while they do it."""

    folder: str
    paths: tuple[str, ...]
    """One a task, in order; there from the dispatch on."""
    follow: str
    """A shell line that does it."""


class BatchView(msgspec.Struct, frozen=True, kw_only=True):
    """A batch as it stands."""

    batch_id: str
    """``deleg_`` and 8 hex digits."""
    name: str
    owner: str
    """The conversation that dispatched it; empty: the operator."""
    status: str
    """``running``; then ``done``, ``error`` (all children failed) or ``stopped``."""
    handles: tuple[Handle, ...]
    max_children: int
    """So many run side by side."""
    started_at: float
    ended_at: float | None = None
    live_transcripts: Transcripts | None = None
    parent: str = ""
    """The child that dispatched it, if one did; it runs within that one's slot."""

    @property
    def over(self) -> int:
        """How many children have ended."""
        return sum(handle.status.over for handle in self.handles)

    def count(self, status: ChildStatus) -> int:
        """How many children are in this state."""
        return sum(handle.status is status for handle in self.handles)


class TaskResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came of one task."""

    number: int
    """Its place in the batch, from 1."""
    subagent_id: str
    goal: str
    status: ChildStatus
    session_id: str = ""
    exit_code: int | None = None
    output: str = ""
    """The end of what it printed, cleaned and redacted."""
    output_cut: int = 0
    """Characters of output before it."""
    error: str = ""
    """Why it was not started, or what became of it."""
    seconds: float = 0.0
