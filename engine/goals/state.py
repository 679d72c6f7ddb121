"""A goal as it is kept on disk: the fields of spec 2.7, and what it takes to go on with it in another engine."""

import msgspec

from engine.redact import redact, redact_command
from engine.waiting import BarrierView, GoalView, TurnView

ACTIVE, PAUSED, DONE, CLEARED = "active", "paused", "done", "cleared"
_STATUSES = (ACTIVE, PAUSED, DONE, CLEARED)
_TURNS_KEPT = 50
_END_OF_TIME = 253_402_300_800.0
"""The year 10000, beyond which no clock and no calendar goes."""
_END_OF_PIDS = 2**31


class GoalState(msgspec.Struct, kw_only=True):
    """One goal. Every field has a default, and fields we don't know are passed by, so that older and newer files load.

    Changed by the goal's one host alone.
    """

    goal: str = ""
    status: str = ACTIVE
    turns_used: int = 0
    max_turns: int = 20
    created_at: float = 0.0
    last_turn_at: float | None = None
    last_verdict: str | None = None
    last_reason: str | None = None
    paused_reason: str | None = None
    consecutive_parse_failures: int = 0
    consecutive_transport_failures: int = 0
    waiting_on_pid: int | None = None
    waiting_on_session: str | None = None
    waiting_until: float | None = None
    waiting_reason: str | None = None
    waiting_since: float | None = None

    goal_id: str = ""
    step: str = ""
    judge: str = "exit-code"
    cwd: str | None = None
    env: dict[str, str | None] = {}
    owner: str = ""
    turns: list[TurnView] = []
    """The newest 50, oldest first."""
    waiting_pid_started: float | None = None
    """With the pid, which process it is (`Identity`)."""
    waiting_boot: str | None = None
    """The boot of the machine in which that start time was taken."""
    waiting_id: str | None = None
    """The barrier's id, the same in whichever engine watches for it."""
    waiting_on: str | None = None
    waiting_pattern: str | None = None
    waiting_target: str | None = None
    waiting_deadline: float | None = None
    step_pid: int | None = None
    """The process of a step that runs, so that nobody begins a turn while it lives."""
    step_started: float | None = None

    def begin_turn(self, at: float) -> int:
        """Count one more turn; its number."""
        self.turns_used += 1
        self.last_turn_at = at
        number = 1 + max((turn.number for turn in self.turns), default=0)
        self.turns = [*self.turns, TurnView(number=number, session_id="", started_at=at)][-_TURNS_KEPT:]
        return number

    def amend_turn(self, **changes: object) -> None:
        """Something more is known of the newest turn."""
        if self.turns:
            self.turns[-1] = msgspec.structs.replace(self.turns[-1], **changes)

    def wait_for(self, view: BarrierView, pid_started: float | None, boot: str | None) -> None:
        """Note down the barrier that stands."""
        self.stop_waiting()
        self.waiting_id = view.barrier_id
        self.waiting_on_pid = view.pid or None
        self.waiting_on_session = view.session_id or None
        self.waiting_until = view.deadline if view.kind == "time" else None
        self.waiting_deadline = view.deadline
        self.waiting_reason = view.reason or None
        self.waiting_since = view.since
        self.waiting_pid_started, self.waiting_boot = pid_started, boot
        self.waiting_on = view.on or None
        self.waiting_pattern = view.pattern or None
        self.waiting_target = view.target or None

    def stop_waiting(self) -> None:
        """No barrier stands."""
        for name in self.__struct_fields__:
            if name.startswith("waiting_"):
                setattr(self, name, None)

    @property
    def waiting(self) -> bool:
        """Does a barrier stand?"""
        return bool(self.waiting_on_pid or self.waiting_on_session or self.waiting_until)

    def noted_barrier(self) -> BarrierView | None:
        """The barrier as noted down, for one who doesn't host it."""
        if not self.waiting:
            return None
        kind = "session" if self.waiting_on_session else "pid" if self.waiting_on_pid else "time"
        return BarrierView(
            barrier_id=self.waiting_id or "",
            kind=kind,
            session_id=self.waiting_on_session or "",
            on=self.waiting_on or ("any" if kind == "session" else ""),
            pattern=self.waiting_pattern or "",
            pid=self.waiting_on_pid or 0,
            target=self.waiting_target or "",
            since=self.waiting_since or 0.0,
            deadline=self.waiting_until or self.waiting_deadline,
            reason=self.waiting_reason or "",
            goal_id=self.goal_id,
            owner=self.owner,
        )

    def view(
        self,
        running: str = "",
        barrier: BarrierView | None = None,
        *,
        host_pid: int = 0,
        host: str = "",
        lease_until: float = 0.0,
        held_up: str = "",
    ) -> GoalView:
        """The goal for front ends; text redacted."""
        return GoalView(
            goal_id=self.goal_id,
            goal=redact(self.goal),
            status=self.status,
            step=redact_command(self.step),
            judge=redact_command(self.judge),
            turns_used=self.turns_used,
            max_turns=self.max_turns,
            created_at=self.created_at,
            last_turn_at=self.last_turn_at,
            last_verdict=self.last_verdict or "",
            last_reason=redact(self.last_reason or ""),
            paused_reason=redact(self.paused_reason or ""),
            running=running,
            barrier=barrier or self.noted_barrier(),
            turns=tuple(self.turns),
            owner=self.owner,
            host_pid=host_pid,
            host=host,
            lease_until=lease_until,
            held_up=held_up if self.status == ACTIVE else "",
        )


def encode(state: GoalState) -> bytes:
    """For the disk; readable by people too."""
    return msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n"


def decode(data: bytes) -> GoalState:
    """From the disk.

    Raises:
        ValueError: It isn't a goal.
    """
    try:
        state = msgspec.json.decode(data, type=GoalState)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if state.status not in _STATUSES:
        raise ValueError(f"the status {state.status!r} is none of {', '.join(_STATUSES)}")
    times = (
        *(state.created_at, state.last_turn_at, state.waiting_until, state.waiting_since, state.waiting_deadline),
        *(time for turn in state.turns for time in (turn.started_at, turn.ended_at)),
    )
    if not all(0 <= time < _END_OF_TIME for time in times if time is not None):
        raise ValueError("a time that is none")
    if not all(0 < pid < _END_OF_PIDS for pid in (state.waiting_on_pid, state.step_pid) if pid is not None):
        raise ValueError("a pid that no process has")
    return state
