"""What is seen of running jobs: what they use, their processes, their screens."""

import msgspec

from engine.results.result import Result


class JobUse(msgspec.Struct, frozen=True, kw_only=True):
    """What one running job uses."""

    session_id: str
    cpu: float | None
    """Of one processor (1.0: one is busy all the time), since the last look; None at the first."""
    rss: int
    """Bytes of its whole tree; what processes share is counted in each."""
    processes: int
    waiting: bool
    """It perhaps waits for input: a terminal, its last line unfinished, quiet for a second, its tree idle."""
    stopped: bool
    """Its whole tree is stopped, as by Ctrl+Z."""


class Usage(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``usage``: the caller's running jobs."""

    at: float
    """Wall clock."""
    jobs: tuple[JobUse, ...]


class ProcessRow(msgspec.Struct, frozen=True, kw_only=True):
    """One process of a job's tree."""

    pid: int
    parent: int
    depth: int
    """How far below the direct child; 0 for it, and for those that left it."""
    command: str
    """Redacted."""
    state: str
    """The kernel's letter: ``R`` runs, ``S`` sleeps, ``D`` waits for a device, ``T`` stopped."""
    cpu_seconds: float
    rss: int
    ports: tuple[int, ...]
    """On which it listens (TCP)."""
    holds_output: bool
    """It has the job's pipe or terminal open."""


class WatchState(msgspec.Struct, frozen=True, kw_only=True):
    """How one side's watch on a job stands."""

    owner: str
    """Whose; empty: the operator's."""
    patterns: tuple[str, ...]
    hits: int
    delivered: int
    disabled: str
    """Why nothing is delivered any more, else empty."""


class Inspected(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``inspect``: what is behind a job, at one moment."""

    status: str
    session_id: str
    command: str
    cwd: str
    env: dict[str, str | None]
    """What its caller added (None: took away), secrets masked."""
    pid: int | None
    processes: tuple[ProcessRow, ...]
    """Its tree, parents before children; of an ended job who it left behind."""
    watches: tuple[WatchState, ...]
    notify_on_complete: bool
    heartbeat_seconds: float
    receipt: str = ""


class Cursor(msgspec.Struct, frozen=True, kw_only=True):
    """Where a terminal's cursor stands, from 0."""

    row: int
    col: int
    hidden: bool


class Screened(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``screen``: a job's terminal as a person would see it."""

    status: str
    session_id: str
    lines: tuple[str, ...]
    """One a row, without trailing blanks."""
    cursor: Cursor
    cols: int
    rows: int
    alternate: bool
    """Is it the alternate screen, as full-screen programs use?"""
    title: str
