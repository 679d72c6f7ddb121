"""The record of one job; the engine's thread alone changes it (spec 1.1)."""

import asyncio
import time
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from engine.events import EndingView, JobState, JobView
from engine.notices.duty import CompletionDuty
from engine.output.cleaning import last_line
from engine.output.stream import OutputStream
from engine.process.child import ProcessLink
from engine.process.identity import Identity
from engine.process.table import Row
from engine.redact import redact, redact_command, redact_part, reveals
from engine.registry.input_lease import InputLease
from engine.results import EscapedProcess, Killed
from engine.spec import Caller, JobSpec

if TYPE_CHECKING:
    from engine.hosts.far_side import FarSide
    from engine.ownership.held import Held
    from engine.process.scope import Scope
    from engine.registry.keeper import Keeper
    from engine.registry.watching import Watching

_LAST_LINE_LOOK = 4_000
_LAST_LINE_BEFORE = 4_000
"""Characters before those that tell whether they are part of a private key."""


class End(NamedTuple):
    """How a job ended, as spec 1.1 names it."""

    exit_code: int | None
    completion_reason: str
    termination_source: str


class Stray(NamedTuple):
    """A living process of an ended job: as the kernel listed it, and as it is told."""

    row: Row
    process: EscapedProcess


class Job:
    """One command that the engine started, and all that it knows of it."""

    held: "Held | None" = None
    """Where its holder is found again, if it runs under one."""
    far: "FarSide | None" = None
    """Its side over there, if it runs on a host: its processes here are the link to that."""
    scope: "Scope | None" = None
    """The systemd scope it runs in, with a bound on its memory."""
    detached = False
    """Its streams are lost: it can be ended and its end is seen, no more."""
    recovered = False
    """An earlier engine started it."""
    batch_id = ""
    """The batch whose child it is, or its own id where it is a background agent: then it isn't ended with the
    conversation or the turn that it was dispatched in."""
    replaces = ""
    """The id of the job in whose place it was started."""
    foreground = False
    """Somebody runs it as one runs a program in a shell: its end and output are seen there, and need not be kept."""
    only_once = ""
    """Why it can't be started again as it was, else empty."""
    end: End | None = None
    """How it ends, once that is decided: it has ended (`finished`) when that is on the disk."""
    receipt = ""
    """The file of its result, once that is on the disk."""
    receipt_pending = False
    """The disk gave no answer in time: its result is still to be written."""

    keeper: "Keeper | None" = None
    """Who keeps it as the configuration file says, if it is one of its jobs."""
    waits = ""
    """Why its keeper doesn't start it again at once, in words."""
    handed_by: str = ""
    """The conversation that handed it off to its owner."""
    handoff_note: str = ""
    """What for."""

    def __init__(
        self,
        session_id: str,
        spec: JobSpec,
        owner: Caller,
        stream: OutputStream,
        *,
        slot: str = "",
        goal_id: str = "",
        goal_part: str = "",
    ) -> None:
        self.session_id = session_id
        self.slot = slot or session_id
        self.goal_id = goal_id
        self.goal_part = goal_part
        self.spec = spec
        self.owner = owner
        self.cwd = spec.cwd or ("~" if spec.host else own_folder())
        self.stream = stream
        self.cols = 0
        self.rows = 0
        self.through_shell = False
        self.state = JobState.STARTING
        self.identity: Identity | None = None
        self.link: ProcessLink | None = None
        self.started_at = time.time()
        self.exited_at: float | None = None
        self.shelved_at: float | None = None
        """When it came on the shelf, where that isn't when it ended: it was read back from its receipt."""
        self.exit_code: int | None = None
        self.raw_exit_code: int | None = None
        self.completion_reason: str | None = None
        self.termination_source = ""
        self.start_error = ""
        self.strays: dict[Identity, Stray] = {}
        """Living processes that it left behind at its end, or that got away from its kill."""
        self.pending_line_bytes = 0
        """Bytes of the unfinished line that the terminal gathers in canonical mode."""
        self.exit_seen = False
        self.child_dead = asyncio.Event()
        """Set with ``exit_seen``: the direct child is a zombie, its number still the job's."""
        self.kill: asyncio.Task[Killed] | None = None
        """The kill that is under way: it is this job's one author then."""
        self.ending: EndingView | None = None
        """How the kill that is under way stands."""
        self.unended: tuple[Identity, ...] = ()
        """Who outlived a kill in which the direct child died: the job runs on with them and can be killed again."""
        self.turn = ""
        """The id of the turn it was started in; it counts as long as that is open."""
        self.persist_on_release = bool(spec.persist_on_release)
        """It outlives its owner: bulk kills pass it by."""
        self.restarting = False
        self.notify_on_complete = spec.notify_on_complete
        self.completion = CompletionDuty()
        self.watching: Watching
        """Who looks for what in its output; its starter gives it one."""
        self.hurry = asyncio.Event()
        """The kill that is under way shall not wait for the grace."""
        self.ended = asyncio.Event()
        """Set when the end is recorded and published."""

    @cached_property
    def name(self) -> str:
        """The label: the caller's, else what the command is called; redacted."""
        return redact(self.spec.name) if self.spec.name else derived_name(self.spec)

    @cached_property
    def command(self) -> str:
        """The command line, redacted: all that leaves the engine of it."""
        return redact_command(self.spec.line)

    @cached_property
    def input_lease(self) -> InputLease:
        """Who may write to it just now."""
        return InputLease()

    @cached_property
    def reveals(self) -> bool:
        """Does the command dump an environment or read a secret file, so that assignments in its output count?"""
        return reveals(self.spec.line)

    def hand_over(self, owner: Caller, note: str) -> None:
        """It is another's from now on: what it prints and its end are told to that one."""
        before, self.owner = self.owner.owner, owner
        self.input_lease.let_go()
        self.handed_by, self.handoff_note = before, note
        self.turn = ""  # that turn is its former owner's
        self.watching.hand_over(before, owner.owner)

    @property
    def escaped(self) -> tuple[EscapedProcess, ...]:
        """Who of it still runs though it has ended."""
        return tuple(stray.process for stray in self.strays.values())

    @property
    def pid(self) -> int | None:
        """The direct child."""
        return self.identity.pid if self.identity else None

    def members(self) -> list[int]:
        """The pids of all that live in its scope; empty without one."""
        return self.scope.members() if self.scope is not None else []

    @property
    def on_shelf_since(self) -> float:
        """From here on its time on the shelf counts."""
        return self.shelved_at or self.exited_at or time.time()

    @property
    def finished(self) -> bool:
        """Is its end recorded?"""
        return self.state is JobState.EXITED

    @property
    def uptime_seconds(self) -> float:
        """How long it has run; stops growing at its exit."""
        return max(0.0, (self.exited_at or time.time()) - self.started_at)

    def view(self) -> JobView:
        """The state of this moment for front ends."""
        stream = self.stream
        return JobView(
            session_id=self.session_id,
            slot=self.slot,
            name=self.name,
            command=self.command,
            cwd=self.cwd,
            pty=self.spec.pty,
            hides_input=self.link is not None and self.link.terminal is not None and self.link.terminal.hides_input,
            accepts_input=self.link is not None and self.link.stdin is not None and not self.link.stdin.closed,
            cols=self.cols,
            rows=self.rows,
            pid=self.pid,
            owner=self.owner.owner,
            tags=self.spec.tags,
            group=self.spec.group,
            state=self.state,
            started_at=self.started_at,
            exited_at=self.exited_at,
            exit_code=self.exit_code,
            raw_exit_code=self.raw_exit_code,
            completion_reason=self.completion_reason,
            termination_source=self.termination_source,
            start_error=redact(self.start_error),
            through_shell=self.through_shell,
            place=self.keeper.place if self.keeper is not None else 0,
            last_line=self._last_line(),
            total_output_chars=stream.buffer.end,
            bells=stream.modes.bells,
            escaped=self.escaped,
            notify_on_complete=self.notify_on_complete,
            watch_patterns=self.watching.patterns(self.owner.owner),
            operator_patterns=() if self.owner.is_operator else self.watching.patterns(""),
            watch_disabled=self.watching.disabled(self.owner.owner),
            hits=self.watching.hits,
            heartbeat_seconds=self.watching.heartbeat_seconds,
            goal_id=self.goal_id,
            goal_part=self.goal_part,
            batch_id=self.batch_id,
            waits=self.waits,
            ending=self.ending,
            persist_on_release=self.persist_on_release,
            detached=self.detached,
            recovered=self.recovered,
            receipt=self.receipt,
            receipt_pending=self.receipt_pending,
            host=self.spec.host,
            link=str(self.far.state) if self.far is not None else "",
            stdin_holder="" if self.finished else self.input_lease.shown,
        )

    def _last_line(self) -> str:
        buffer = self.stream.buffer
        if not buffer.end:
            return ""
        start = max(buffer.start, buffer.end - _LAST_LINE_LOOK)
        part = redact_part(
            buffer.text(max(0, start - _LAST_LINE_BEFORE), start),
            buffer.text(start),
            assignments=self.reveals,
            live=not self.stream.ended,
        )
        return redact(last_line(part.text), assignments=self.reveals)


def own_folder() -> str:
    """The folder this process is in; ``.`` when it has been deleted."""
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return "."


def derived_name(spec: JobSpec) -> str:
    """A short name from the command, redacted: ``npm run dev`` from ``cd web && PORT=1 npm run dev``; at most 40."""
    if spec.argv is not None:
        line = " ".join([spec.argv[0].rsplit("/", 1)[-1], *spec.argv[1:]])
    else:
        line = next(iter((spec.command or "").strip().splitlines()), "")
    line = redact_command(line)
    if spec.argv is None:
        while line.startswith("cd ") and "&&" in line:
            line = line.split("&&", 1)[1].strip()
        words = line.split()
        while (
            len(words) > 1
            and "=" in words[0]
            and not words[0].endswith(";")
            and words[0].split("=", 1)[0].isidentifier()
        ):
            words.pop(0)
        line = " ".join(words)
    line = "".join(character if character.isprintable() else " " for character in line)
    return line if len(line) <= 40 else line[:39] + "…"
