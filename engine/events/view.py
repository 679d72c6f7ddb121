"""A job as a front end shows it."""

from enum import StrEnum

import msgspec

from engine.results import NOT_STARTED, EscapedProcess, exit_label


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
