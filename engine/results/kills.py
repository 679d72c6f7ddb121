"""What is answered to kills, of one job and of many, and to the turns whose jobs are killed together."""

import msgspec

from engine.results.jobs import Ended
from engine.results.result import Result


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
