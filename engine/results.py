"""The results of the verbs (spec 1.6), one frozen struct each.

Fields without a default are always in the JSON form; optional ones are left out while they are None or empty.
"""

import signal
from typing import Any

import msgspec

from engine.waiting import BarrierView, GoalView, Release


class Result(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every verb's result is."""

    def to_dict(self) -> dict[str, Any]:
        """The result as plain JSON-able data, as the command line and the wire show it."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain


class Refused(Result, frozen=True, kw_only=True, omit_defaults=True):
    """A verb that did nothing, and why: ``status`` is ``error`` or ``not_found``."""

    status: str
    error: str
    retry: bool = False
    """The same call may succeed later: the job isn't reading its input just now."""


class EscapedProcess(msgspec.Struct, frozen=True):
    """A living descendant that its ended job left behind."""

    pid: int
    command: str
    holds_output: bool = False
    """It still has the job's pipe or terminal open."""


class Survivor(msgspec.Struct, frozen=True):
    """A process that a kill could not prove dead."""

    pid: int
    command: str
    why: str


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


class Killed(Ended, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``kill``: ``status`` is ``killed``, ``already_exited`` or ``error``."""

    status: str
    session_id: str
    output: str = ""
    output_cut: int | None = None
    error: str | None = None
    survivors: tuple[Survivor, ...] = ()
    escaped: tuple[EscapedProcess, ...] = ()
    """Who left the job's session and parentage and still runs: ended only by a kill with ``escaped``."""
    escaped_ended: tuple[EscapedProcess, ...] = ()
    """Whom of those such a kill has ended."""
    process_running: bool | None = None
    called_off: bool = False
    """It had ended, or had no run, and would have been started by itself: it isn't now."""


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


class KilledAll(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of kills of many jobs at once: ``status`` is ``ok``, or ``error`` when one could not be ended."""

    status: str
    killed: tuple[str, ...]
    """The ids of those that were ended."""
    failed: tuple[Killed, ...] = ()
    error: str | None = None


class RunningIds(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``snapshot_running_ids``: a baseline for ``kill_started_since``."""

    status: str
    session_ids: tuple[str, ...]


class TurnSaid(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``turn_begin`` and ``turn_end``: ``status`` is ``open``, ``ended`` or ``not_open``."""

    status: str
    turn_id: str = ""


class Done(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``signal``, ``resize`` and ``dismiss``."""

    status: str
    session_id: str
    cols: int | None = None
    rows: int | None = None


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


class ResultRow(Result, frozen=True, kw_only=True):
    """One retained result of a finished job, as ``results`` lists it."""

    session_id: str
    name: str
    command: str
    """Redacted."""
    owner_task_id: str
    """The conversation that started it; empty for the operator."""
    started_at: float
    exited_at: float
    exit_code: int | None
    completion_reason: str
    termination_source: str
    through_shell: bool
    total_output_chars: int
    on_shelf: bool
    """Is it among the jobs of this engine, so that it can be opened at once?"""

    @property
    def label(self) -> str:
        """The end in words for people: ``exit 0``, ``SIGSEGV``, ``lost`` …"""
        return exit_label(self.exit_code, self.completion_reason, through_shell=self.through_shell)


class ResultsListed(Result, frozen=True, kw_only=True):
    """The result of ``results``: what is retained of finished jobs, the newest end first."""

    results: tuple[ResultRow, ...]


class Recalled(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``recall``: the job is on the shelf, with its output; it was told as a `JobChanged`."""

    status: str
    session_id: str


class FoundLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line that ``search`` found."""

    session_id: str
    line: int
    """Its number in the whole output, from 0."""
    position: int
    """Where it starts in the output."""
    text: str
    """Without sequences, secrets masked; of a long line the part around the match."""


class Found(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``search``."""

    status: str
    lines: tuple[FoundLine, ...]
    """Job by job, oldest first; of each job the newest."""
    total: int
    """How many lines match in all."""
    searched_chars: int


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


class WaitSet(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``wait_for`` and ``goal_wait``: it stands. Its release comes as an event."""

    status: str
    barrier: BarrierView


class WaitReleased(Result, frozen=True, kw_only=True, omit_defaults=True):
    """What came of a wait, as ``jobdeck wait-for --json`` tells it."""

    status: str
    barrier: BarrierView
    release: Release


class Lifted(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``lift`` and ``goal_unwait``."""

    status: str
    lifted: bool
    """False when nothing was waited for (any more)."""


class GoalSaid(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of the verbs of goals: how it stands now."""

    status: str
    goal: GoalView


class GoalsListed(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``goal_status``: the caller's goals, oldest first; one, if one was asked for."""

    goals: tuple[GoalView, ...]


def signal_name(number: int) -> str:
    """``SIGTERM`` for 15; ``signal 77`` for a number without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


NOT_STARTED = "not_started"
"""The ``completion_reason`` that a job of the configuration file is shown with which never ran."""


def exit_label(exit_code: int | None, completion_reason: str | None, *, through_shell: bool = False) -> str:
    """How an end is told to people: ``exit 0``, ``exit 255``, ``SIGSEGV``, ``failed to start``, ``lost``.

    ``through_shell``: the job ran under a shell, which reports a child's death by signal N as 128+N.
    """
    if completion_reason == "failed_start":
        return "failed to start"
    if completion_reason == NOT_STARTED:
        return "not started"
    if completion_reason == "lost" or exit_code is None:
        return "lost"
    if exit_code < 0:
        return signal_name(-exit_code)
    if through_shell and exit_code > 128:
        try:
            return signal.Signals(exit_code - 128).name
        except ValueError:
            pass
    return f"exit {exit_code}"


_ENDED_BY = {
    "operator": "killed by the operator",
    "kill_all": "killed with all others by the operator",
    "process.kill": "killed by its owner",
    "owner_exit": "killed because its owner ended",
    "turn_abandoned": "killed because its turn was abandoned",
    "quit": "killed when jobdeck was quit",
}


def end_text(
    exit_code: int | None, completion_reason: str | None, termination_source: str = "", *, through_shell: bool = False
) -> str:
    """An end as notices tell it: ``✓ finished``, ``✗ failed (exit 2)``, ``terminated (SIGTERM)``, ``lost`` …

    A kill also says whose it was: ``terminated (SIGTERM), killed by the operator``.
    """
    if completion_reason in ("failed_start", "lost") or exit_code is None:
        return exit_label(exit_code, completion_reason)
    if completion_reason == "killed" or exit_code in (-signal.SIGTERM, 128 + signal.SIGTERM):
        by = _ENDED_BY.get(termination_source, "") if completion_reason == "killed" else ""
        return "terminated (SIGTERM)" + (f", {by}" if by else "")
    if exit_code == 0:
        return "✓ finished"
    return f"✗ failed ({exit_label(exit_code, completion_reason, through_shell=through_shell)})"
