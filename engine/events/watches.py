"""What is said of lines that were looked for, and of what jobs write meanwhile."""

import msgspec


class WatchHit(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A line of a job matched one of its watch patterns. Where they come fast, one event stands for many."""

    sequence: int
    at: float
    session_id: str
    pattern: str
    """As it was written; the first that matched."""
    text: str
    """The lines that matched, from the first; redacted, at most 20 lines and 2000 characters."""
    position: int
    """Where the first of them starts in the output."""
    line: int
    """Its number in the whole output, from 0."""
    count: int = 1
    """How many matching lines this event stands for."""
    delivered: bool = True
    """Was it also told to the job's owner as a notice?"""
    held_by: str = ""
    """Else what held it back: ``cooldown``, ``breaker`` or ``disabled``."""
    suppressed: int = 0
    """With a delivered one: how many were held back since the last that was delivered."""
    owner: str = ""
    """Whose patterns found it; empty: the operator's, who may watch any job."""


class WatchDisabled(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A job's watching was turned off; said once."""

    sequence: int
    at: float
    session_id: str
    why: str
    pattern: str = ""
    """The one pattern it is about; empty: all of the job's."""
    notify_on_complete: bool = False
    """Its completion will be told instead."""
    owner: str = ""
    """Whose watch it was; empty: the operator's."""


class WatchOverflow(msgspec.Struct, frozen=True, tag=True):
    """Too many hits over all jobs: none is delivered until ``until`` (wall clock)."""

    sequence: int
    at: float
    until: float


class WatchReleased(msgspec.Struct, frozen=True, tag=True):
    """Hits are delivered again; ``suppressed`` were held back meanwhile."""

    sequence: int
    at: float
    suppressed: int


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What a job wrote since its last heartbeat; silent jobs send none."""

    sequence: int
    at: float
    session_id: str
    output: str
    output_cut: int = 0
    uptime_seconds: float = 0.0
