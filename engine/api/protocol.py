"""The engine's one interface: the same in-process and, later, over a socket."""

from collections.abc import Callable, Sequence
from typing import Protocol

from engine.api.agent_protocol import AgentApi
from engine.api.call import Call
from engine.api.conversation_protocol import ConversationApi
from engine.api.ending_protocol import EndingApi
from engine.api.goal_protocol import GoalApi
from engine.api.inspection_protocol import InspectionApi
from engine.api.receipt_protocol import ReceiptApi
from engine.events import Event, Notice
from engine.replay import Sink
from engine.results import (
    AlertsSet,
    Done,
    Killed,
    Listed,
    Logged,
    Polled,
    Refused,
    Started,
    Waited,
    Written,
)
from engine.spec import JobSpec


class Attachment(Protocol):
    """A viewer of one job's output. One item is in flight at a time; `grant` asks for the next."""

    def grant(self) -> None:
        """The last item has been taken in: send the next as soon as there is one."""

    def detach(self) -> None:
        """Send nothing more. Safe to call twice."""


class EventFeed(Protocol):
    """Events in order. The first is a `Snapshot` of all jobs, taken in the same step."""

    def take(self) -> list[Event]:
        """All that has come since the last call; never blocks."""

    def next(self, timeout: float | None = None) -> Event:
        """The next event, waiting for it.

        Raises:
            TimeoutError: None came in ``timeout`` seconds.
        """

    def close(self) -> None:
        """Subscribe no longer. Safe to call twice."""


class NoticeFeed(Protocol):
    """What is addressed to one caller, each notice once, in order: completions, hits, heartbeats, notices.

    It begins with what was kept while the caller wasn't there. A completion that the caller has learnt of meanwhile by
    its own ``wait``, ``log``, ``kill`` or ``poll`` is taken back if it still waits here.
    """

    def take(self) -> list[Notice]:
        """All that has come since the last call; never blocks."""

    def next(self, timeout: float | None = None) -> Notice:
        """The next notice, waiting for it.

        Raises:
            TimeoutError: None came in ``timeout`` seconds, or the feed is closed.
        """

    def close(self) -> None:
        """Receive no longer; what wasn't taken is kept for the next time. Safe to call twice."""


class EngineApi(GoalApi, EndingApi, ConversationApi, InspectionApi, ReceiptApi, AgentApi, Protocol):
    """What one caller can do. Answers carry ``status``; what is refused comes back as `Refused`."""

    def spawn(self, spec: JobSpec) -> Call[Started]:
        """Start a job. The call raises `StartError` or `SpecError` when it can't be started."""

    def list(self) -> Call[Listed]:
        """The caller's jobs, running and finished."""

    def poll(self, session_id: str, since: int | None = None) -> Call[Polled | Refused]:
        """How a job stands; with ``since`` also what it wrote after that position."""

    def wait(self, session_id: str, timeout: float | None = None) -> Call[Waited | Refused]:
        """Wait for a job's end, at most ``timeout`` seconds (default and most 180)."""

    def log(
        self, session_id: str, offset: int | None = None, limit: int | None = None, raw: bool = False
    ) -> Call[Logged | Refused]:
        """Lines of a job's output, by their number in the whole output."""

    def write(self, session_id: str, data: str) -> Call[Written | Refused]:
        """Send text to a job's stdin as it is."""

    def type_in(self, session_id: str, data: str) -> Call[Written | Refused]:
        """Send text as a keyboard does, key by key: a line that gets too long is cut by the job's terminal.

        A lone surrogate of the lower half stands for a byte, as in ``write``.
        """

    def submit(self, session_id: str, data: str) -> Call[Written | Refused]:
        """Send a line: the text and Enter, as the job's terminal mode wants it."""

    def close(self, session_id: str) -> Call[Written | Refused]:
        """Send end-of-file to a job's stdin."""

    def kill(
        self, session_id: str, now: bool = False, source: str = "", escaped: bool = False
    ) -> Call[Killed | Refused]:
        """End a job's whole tree: TERM, a grace, KILL; with ``now`` KILL at once.

        With ``escaped`` those too that left its session and parentage and are only known by the job's id, which they
        carry in their environment; also those that an ended job left behind.

        ``source`` is what the operator's front end ends it for (``quit``, ``kill_all``); else the verb says it itself.
        """

    def signal(self, session_id: str, name: str) -> Call[Done | Refused]:
        """Send one signal (``INT``, ``SIGHUP``, ``USR1`` …) to a job's process group."""

    def restart(self, session_id: str) -> Call[Started | Refused]:
        """End the job if it runs and start it again in the same slot, under a new session id."""

    def dismiss(self, session_id: str) -> Call[Done | Refused]:
        """Take a finished job off the shelf."""

    def resize(self, session_id: str, cols: int, rows: int) -> Call[Done | Refused]:
        """Set the size of a PTY job's terminal."""

    def set_watches(self, session_id: str, patterns: Sequence[str]) -> Call[AlertsSet | Refused]:
        """Look for these in what a running job prints from now on, in place of the caller's earlier patterns.

        Written as `JobSpec.watch_patterns`. The operator's stand beside those of the job's owner.
        """

    def set_notify(self, session_id: str, on: bool) -> Call[AlertsSet | Refused]:
        """Tell the job's owner its end, or don't."""

    def set_heartbeat(self, session_id: str, seconds: float) -> Call[AlertsSet | Refused]:
        """Tell the job's owner what came since the last time, this often (at least 60); 0 is never."""

    def events(self, on_ready: Callable[[], None] | None = None) -> EventFeed:
        """Subscribe. ``on_ready`` runs on the engine's thread when events wait to be taken; it must not block."""

    def notices(self, on_ready: Callable[[], None] | None = None) -> NoticeFeed:
        """Receive what is addressed to this caller; a second feed of the same caller takes over from the first.

        ``on_ready`` runs on the engine's thread when notices wait to be taken; it must not block. An operator's console
        needs none: what is addressed to the operator is among its events.
        """

    def attach(
        self, session_id: str, at: int | None, sink: Sink, *, redacted: bool | None = None
    ) -> Call[Attachment | Refused]:
        """Deliver a job's output to ``sink``: a `Replay` from ``at`` (None: all that is kept), then chunks.

        Secrets are masked, without a change of positions, where ``redacted`` says so (None: the setting
        ``redact_panes``), and always for who isn't the operator."""
