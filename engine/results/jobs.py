"""What is answered to a start, and to the verbs that read a job, write to it, or set what is told of it."""

from engine.results.result import Result


class Started(Result, frozen=True, kw_only=True, omit_defaults=True):
    """A job that now runs."""

    output: str
    """One line for people: what was started."""
    session_id: str
    pid: int
    pty_note: str | None = None
    cwd_note: str | None = None
    hint: str | None = None
    notify_on_complete: bool | None = None
    """Told where it was asked for."""
    notify_unsupported: str | None = None
    watch_patterns: tuple[str, ...] = ()
    watch_patterns_ignored: str | None = None
    heartbeat_seconds: float | None = None
    heartbeat_ignored: str | None = None
    persist_on_release: bool | None = None
    """Told where it was asked for."""


class JobRow(Result, frozen=True, kw_only=True, omit_defaults=True):
    """One job in the result of ``list``."""

    session_id: str
    name: str
    command: str
    cwd: str
    pid: int | None
    owner_task_id: str
    started_at: float
    uptime_seconds: float
    status: str
    output_preview: str
    watch_patterns: tuple[str, ...]
    watch_hit: bool
    notify_on_complete: bool
    exit_code: int | None
    exited_at: float | None
    completion_reason: str | None
    persist_on_release: bool
    detached: bool
    session_scoped: bool = False
    """The caller's by its conversation, and started under another task of it: before it was continued."""
    host: str = ""
    """Where it runs, if not here."""
    reason: str = ""
    """Of a job of the configuration file that doesn't stand as it is to: why, in words (``waits for db: port 5432``,
    ``restart 2 in 4 s``). Its ``status`` may also be ``waiting`` or ``not_started``; it has no run then."""


class Listed(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``list``: the caller's jobs, oldest first."""

    processes: tuple[JobRow, ...]


class Ended(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The fields that results carry once a job has ended."""

    exit_code: int | None = None
    completion_reason: str | None = None
    termination_source: str | None = None


class Polled(Ended, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``poll``; with ``since`` it carries the new output and the position after it."""

    status: str
    session_id: str
    pid: int | None
    uptime_seconds: float
    output_preview: str
    new_output: str | None = None
    position: int | None = None
    dropped_chars: int | None = None
    reason: str = ""
    """As in ``list``."""


class Waited(Ended, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``wait``: ``status`` is ``exited``, ``timeout`` or ``interrupted``."""

    status: str
    session_id: str
    output: str
    output_cut: int | None = None
    """Characters of output before the tail that is shown."""
    process_running: bool | None = None
    timeout_note: str | None = None


class Logged(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``log``: lines by their number in the whole output, from 0."""

    status: str
    session_id: str
    output: str
    total_lines: int
    showing: str
    dropped_lines: int = 0
    dropped_chars: int = 0


class Written(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``write``, ``submit`` and ``close``."""

    status: str
    bytes_written: int


class AlertsSet(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``set_watches``, ``set_notify`` and ``set_heartbeat``: what stands now."""

    status: str
    session_id: str
    notify_on_complete: bool
    watch_patterns: tuple[str, ...]
    """Those of the caller."""
    heartbeat_seconds: float
    watch_patterns_ignored: str | None = None
    notify_unsupported: str | None = None
    heartbeat_ignored: str | None = None
