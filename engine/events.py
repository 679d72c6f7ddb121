"""Everything the engine says of its own accord, as frozen structs in one ordered stream."""

from enum import StrEnum
from typing import TypeAlias

import msgspec

from engine.delegation import BatchView, ChildStatus, TaskResult
from engine.results import NOT_STARTED, EscapedProcess, end_text, exit_label
from engine.waiting import BarrierView, GoalView, Release


class JobState(StrEnum):
    """Where a job is in its life."""

    STARTING = "starting"
    """Spawned, its gate still closed."""
    RUNNING = "running"
    ENDING = "ending"
    """Its child is dead or being killed; what it wrote is still being read."""
    EXITED = "exited"


class LivingProcess(msgspec.Struct, frozen=True):
    """A process that is waited for."""

    pid: int
    command: str


class EndingView(msgspec.Struct, frozen=True, kw_only=True):
    """How the kill of a job that takes its time stands."""

    since: float
    """Wall clock."""
    kill_at: float | None
    """When KILL follows; None once it has been sent, or when TERM is all there is."""
    count: int = 0
    """How many processes still run."""
    waiting: tuple[LivingProcess, ...] = ()
    """The first of them."""


class JobView(msgspec.Struct, frozen=True, kw_only=True):
    """A job as a front end shows it: the state at one moment."""

    session_id: str
    slot: str
    """Stays the same over restarts: one row in the stack, one tab."""
    name: str
    command: str
    cwd: str
    pty: bool
    accepts_input: bool
    hides_input: bool
    """Its terminal gathers a line without echoing it: a password prompt."""
    cols: int
    rows: int
    pid: int | None
    owner: str
    tags: tuple[str, ...]
    group: str
    state: JobState
    started_at: float
    exited_at: float | None
    exit_code: int | None
    raw_exit_code: int | None
    completion_reason: str | None
    termination_source: str
    start_error: str
    """Why it failed to start, else empty."""
    through_shell: bool
    last_line: str
    """The last line with text, cleaned for one row of a table; at most 200 characters."""
    total_output_chars: int
    bells: int
    escaped: tuple[EscapedProcess, ...]
    ending: EndingView | None = None
    """A kill is under way and takes its time."""
    persist_on_release: bool = False
    """It runs under a holder and outlives this process."""
    detached: bool = False
    """Taken over from a dead engine without its streams: it can be ended and its end is seen, no more."""
    recovered: bool = False
    """An earlier engine's: taken over while it ran, or its result read back from the disk."""
    receipt: str = ""
    """The file of its result, once that is on the disk."""
    receipt_pending: bool = False
    """The disk gave no answer in time: its result is kept in memory and tried again."""
    host: str = ""
    """Where it runs, if not here: an entry of ``[hosts]``."""
    link: str = ""
    """How its link to that host stands: ``connecting``, ``up``, or ``over`` once its end there is known."""
    engine: str = ""
    """The engine that has it (``serve · 4711``), where that is another than the console's own."""
    stdin_holder: str = ""
    """Who writes to its input just now (``agent conv_…``), when that is not the operator."""
    notify_on_complete: bool = False
    watch_patterns: tuple[str, ...] = ()
    """Its owner's."""
    operator_patterns: tuple[str, ...] = ()
    """The operator's own, on another's job."""
    watch_disabled: str = ""
    """Why its owner is told of no more hits, else empty."""
    hits: int = 0
    """Lines that matched, delivered as notices or not; one that both watches found counts twice."""
    heartbeat_seconds: float = 0.0
    goal_id: str = ""
    """The goal whose step or judge this is."""
    waits: str = ""
    """Of a job of the configuration file that doesn't stand as it is to: why, in words (``waits for db: port 5432``,
    ``restart 2 in 4 s``, ``changed in the file``)."""
    place: int = 0
    """Which of the configuration file's jobs it is, counted from 1; 0: none of them."""
    goal_part: str = ""
    """Which of them: ``step`` or ``judge``; empty for a job of no goal."""
    batch_id: str = ""
    """The batch whose child it is; of a background agent its own id."""

    @property
    def label(self) -> str:
        """The end in words for people (``exit 0``, ``SIGSEGV`` …); empty while it lives."""
        if self.state is not JobState.EXITED:
            return ""
        return exit_label(self.exit_code, self.completion_reason, through_shell=self.through_shell)

    @property
    def has_run(self) -> bool:
        """Is there a run to look at? A job of the configuration file that waits or was never started has none yet: it
        is known by its place (``job_…``) alone."""
        return not self.session_id.startswith("job_")

    @property
    def failed(self) -> bool:
        """It ended by itself and not with 0, or never started."""
        if self.state is not JobState.EXITED or self.completion_reason in ("killed", NOT_STARTED):
            return False
        return self.exit_code != 0


class Snapshot(msgspec.Struct, frozen=True, tag=True):
    """All jobs at ``sequence``; what follows in the feed came later."""

    sequence: int
    at: float
    jobs: tuple[JobView, ...]
    barriers: tuple[BarrierView, ...] = ()
    goals: tuple[GoalView, ...] = ()
    batches: tuple[BatchView, ...] = ()


class JobStarted(msgspec.Struct, frozen=True, tag=True):
    """A job runs. ``replaces``: the session id it took the slot from, when it was restarted."""

    sequence: int
    at: float
    job: JobView
    replaces: str = ""


class JobChanged(msgspec.Struct, frozen=True, tag=True):
    """Something of a job's view changed; latest wins, at most four a second."""

    sequence: int
    at: float
    job: JobView


class JobExited(msgspec.Struct, frozen=True, tag=True):
    """A job ended, in whatever way; said exactly once a job."""

    sequence: int
    at: float
    job: JobView


class Completion(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A job that was to tell its end has ended: told at most once a job, to its owner and to the operator.

    Not told at all if the owner learnt of the end by its own ``wait``, ``log`` or ``kill``.
    """

    sequence: int
    at: float
    session_id: str
    name: str
    command: str
    owner: str
    """The conversation it is addressed to; empty for the operator."""
    exit_code: int | None
    completion_reason: str
    termination_source: str
    output: str
    """The end of the output, cleaned and redacted: at most 2000 characters, from the start of a line on."""
    output_cut: int = 0
    """Characters of output before it."""
    started_at: float
    exited_at: float
    start_error: str = ""
    """Why it failed to start, else empty."""
    through_shell: bool = False

    @property
    def text(self) -> str:
        """The end in words for people: ``✓ finished``, ``✗ failed (exit 2)`` …"""
        return end_text(
            self.exit_code, self.completion_reason, self.termination_source, through_shell=self.through_shell
        )

    @property
    def failed(self) -> bool:
        """It ended by itself and not with 0, never started, or was lost."""
        return self.completion_reason != "killed" and self.exit_code != 0


class JobDismissed(msgspec.Struct, frozen=True, tag=True):
    """A finished job left the shelf: dismissed, evicted or past its time."""

    sequence: int
    at: float
    session_id: str


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


class BarrierSet(msgspec.Struct, frozen=True, tag=True):
    """Something is waited for."""

    sequence: int
    at: float
    barrier: BarrierView


class BarrierReleased(msgspec.Struct, frozen=True, tag=True):
    """It is waited for no more; said exactly once a barrier."""

    sequence: int
    at: float
    barrier: BarrierView
    release: Release


class GoalChanged(msgspec.Struct, frozen=True, tag=True):
    """A goal stands otherwise than before; ``cleared`` is the last word on one."""

    sequence: int
    at: float
    goal: GoalView


class BatchChanged(msgspec.Struct, frozen=True, tag=True):
    """A batch of agents stands otherwise than before."""

    sequence: int
    at: float
    batch: BatchView


class BatchDone(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A batch's one completion: told exactly once, to who dispatched it and to the operator's consoles."""

    sequence: int
    at: float
    batch: BatchView
    results: tuple[TaskResult, ...]
    """In the order of the tasks."""

    @property
    def owner(self) -> str:
        """The conversation it is addressed to; empty for the operator."""
        return self.batch.owner

    @property
    def failed(self) -> bool:
        """Have all children failed?"""
        return self.batch.status == "error"

    @property
    def text(self) -> str:
        """How it went in words: ``3 of 5 done, 1 failed, 1 cancelled``."""
        count = self.batch.count
        parts = [f"{count(ChildStatus.DONE)} of {len(self.batch.handles)} done"]
        parts += [f"{count(one)} {one}" for one in (ChildStatus.FAILED, ChildStatus.CANCELLED) if count(one)]
        return ", ".join(parts)


class PaneClosed(msgspec.Struct, frozen=True, tag=True):
    """Consoles are to close this job's tab; the job goes on."""

    sequence: int
    at: float
    session_id: str


class EngineNotice(msgspec.Struct, frozen=True, tag=True):
    """The engine has something to tell the operator that belongs to no verb's result."""

    sequence: int
    at: float
    text: str
    severity: str = "warning"
    session_id: str = ""


class ConfigurationChanged(msgspec.Struct, frozen=True, tag=True):
    """The configuration's files were read again: settings, keys or themes hold otherwise than before."""

    sequence: int
    at: float


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one job that an earlier engine had left unfinished."""

    session_id: str
    name: str
    command: str
    owner: str
    fate: str
    """``readopted`` (runs on, whole), ``finished`` (its receipt tells how), ``lost``, or ``detached``."""
    text: str
    """One line for people: what happened, and what can be done."""
    exit_code: int | None = None
    exited_at: float | None = None


class Recovered(msgspec.Struct, frozen=True, tag=True):
    """What was found of engines that died: said once a recovery, kept until a console is there to hear it."""

    sequence: int
    at: float
    fates: tuple[Fate, ...]


class Resync(msgspec.Struct, frozen=True, tag=True):
    """The subscriber fell behind: here is everything anew; changes in between were skipped."""

    sequence: int
    at: float
    jobs: tuple[JobView, ...]
    barriers: tuple[BarrierView, ...] = ()
    goals: tuple[GoalView, ...] = ()
    batches: tuple[BatchView, ...] = ()


Event: TypeAlias = (
    Snapshot
    | Resync
    | JobStarted
    | JobChanged
    | JobExited
    | Completion
    | JobDismissed
    | WatchHit
    | WatchDisabled
    | WatchOverflow
    | WatchReleased
    | Heartbeat
    | BarrierSet
    | BarrierReleased
    | GoalChanged
    | BatchChanged
    | BatchDone
    | Recovered
    | PaneClosed
    | ConfigurationChanged
    | EngineNotice
)

Notice: TypeAlias = (
    Completion
    | BatchDone
    | WatchHit
    | WatchDisabled
    | WatchOverflow
    | WatchReleased
    | Heartbeat
    | Recovered
    | EngineNotice
)
"""What is addressed to an owner, kept until it is taken, and never lost."""
