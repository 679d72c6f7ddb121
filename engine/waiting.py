"""Goals and barriers as front ends show them: frozen structs that cross threads (spec 2.7)."""

import msgspec


class BarrierView(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is waited for, by a goal or by nobody but the operator."""

    barrier_id: str
    """``wait_`` and 8 hex digits."""
    kind: str
    """``pid``, ``session`` or ``time``."""
    session_id: str = ""
    on: str = ""
    """Session barriers: ``exit``, ``success``, ``match`` or ``any``."""
    pattern: str = ""
    pid: int = 0
    target: str = ""
    """Its name in words: the job's, the process's command."""
    since: float = 0.0
    deadline: float | None = None
    """Wall-clock time of the release (time), or of giving up (pid, session)."""
    reason: str = ""
    then: str = ""
    goal_id: str = ""
    owner: str = ""


class Release(msgspec.Struct, frozen=True, kw_only=True):
    """Why a barrier is no more."""

    outcome: str
    """What was waited for: ``exit``, ``match``, ``gone`` (the process), ``time``. Else ``ended`` (the job ended without
    it), ``expired``, ``target_lost``, ``lifted`` or ``replaced``."""
    happened: bool
    """Did what was waited for happen?"""
    text: str
    """In words, for people: ``exit 0``, the line that matched …; redacted."""
    exit_code: int | None = None
    output: str = ""
    """The tail of the job's output where it ended without what was waited for."""
    then_session_id: str = ""
    """The job that runs what was to be run then."""


class TurnView(msgspec.Struct, frozen=True, kw_only=True):
    """One turn of a goal."""

    number: int
    session_id: str
    started_at: float
    ended_at: float | None = None
    exit_code: int | None = None
    verdict: str = ""
    """``done``, ``blocked``, ``continue`` or ``wait``; empty while it runs."""
    reason: str = ""


class GoalView(msgspec.Struct, frozen=True, kw_only=True):
    """A goal as it stands."""

    goal_id: str
    """``goal_`` and 8 hex digits."""
    goal: str
    status: str
    """``active``, ``paused``, ``done`` or ``cleared``."""
    step: str
    judge: str
    turns_used: int
    max_turns: int
    created_at: float
    last_turn_at: float | None = None
    last_verdict: str = ""
    last_reason: str = ""
    paused_reason: str = ""
    running: str = ""
    """The session id of the step that runs, ``judge`` while the judge is asked, else empty."""
    barrier: BarrierView | None = None
    turns: tuple[TurnView, ...] = ()
    """The newest turns, oldest first."""
    host_pid: int = 0
    """The process that hosts it; 0: nobody does just now, or none of this machine."""
    host: str = ""
    """In words, who hosts it: ``process 4711``, ``process 4711 on build1``; empty: this process, or nobody."""
    lease_until: float = 0.0
    """Another's: when its lease expires unless it is refreshed, by the wall; past: whoever wants may take it over."""
    held_up: str = ""
    """Why no turn runs though it is active: what is wrong with ``state.db``."""
    owner: str = ""
