"""What a caller asks for: the job to start, and who asks."""

import os

import msgspec


class SpecError(ValueError):
    """A job specification that can't be started as written; the text says what to change."""


class Caller(msgspec.Struct, frozen=True):
    """Who makes a call. ``owner`` is empty for the operator, else a conversation's id."""

    owner: str = ""
    async_delivery: bool = True
    """Can it receive notices after its call? False for scripts and one-shot runs."""

    @property
    def is_operator(self) -> bool:
        """True for the person at the console, who sees and steers every job."""
        return not self.owner


OPERATOR = Caller()


class JobSpec(msgspec.Struct, frozen=True, kw_only=True):
    """One command to start: a shell line in ``command``, or exact arguments in ``argv``."""

    command: str | None = None
    argv: tuple[str, ...] | None = None
    name: str = ""
    tags: tuple[str, ...] = ()
    group: str = ""
    cwd: str | None = None
    """Absolute, or relative to the engine's own folder; None is that folder."""
    env: dict[str, str | None] = {}
    """Additions to the engine's environment; a None value removes the name."""
    pty: bool = False
    cols: int = 0
    """Terminal columns; 0 takes the setting (120)."""
    rows: int = 0
    """Terminal rows; 0 takes the setting (30)."""
    stdin: str = "null"
    """Pipe jobs: ``"null"`` or ``"pipe"``. A PTY job's stdin is always its terminal."""
    host: str = ""
    """Where it runs: an entry of ``[hosts]``; empty: here. ``cwd`` and ``env`` are then that side's."""
    kill_order: str = "children-first"
    """Or ``"parent-first"``, for supervisors that reap their own children."""
    notify_on_complete: bool = False
    """Its end is told to its owner, exactly once."""
    watch_patterns: tuple[str, ...] = ()
    """Case-sensitive substrings of a line; an entry ``/…/`` (``/…/i``) is a regular expression."""
    heartbeat_seconds: float = 0.0
    """Tell what came since the last time, this often; 0 is never, else at least 60."""
    persist_on_release: bool | None = None
    """It runs under a holder of its own and outlives its owner; the next engine takes it over whole. None: as is usual
    where it is started (the setting ``persist``)."""

    def check(self) -> None:
        """Raise `SpecError` if this can't be started as written."""
        if (self.command is None) == (self.argv is None):
            raise SpecError("give either command (a shell line) or argv (exact arguments), not both or neither")
        if self.command is not None and not self.command.strip():
            raise SpecError("the command is empty: give a shell line such as 'npm run dev'")
        if self.argv is not None and (not self.argv or not self.argv[0]):
            raise SpecError("argv is empty: its first word must be the program to run")
        for word in (self.command or "", *(self.argv or ()), self.cwd or "", self.name, self.host):
            if not isinstance(word, str):
                raise SpecError(f"the command, its arguments, the folder and the name are text, not {word!r}")
            if "\0" in word:
                raise SpecError("a command, an argument or a folder can't contain a NUL character")
            _check_encodable(word)
        for name, value in self.env.items():
            if not isinstance(name, str) or not (value is None or isinstance(value, str)):
                raise SpecError(f"env holds text: {name!r} can't be {value!r} (None removes a name)")
            _check_encodable(name + (value or ""))
            if not name or "=" in name or "\0" in name or "\0" in (value or ""):
                raise SpecError(f"{name!r} can't be the name of an environment variable, or its value has a NUL")
        if self.stdin not in ("null", "pipe"):
            raise SpecError(f"stdin is 'null' or 'pipe', not {self.stdin!r}")
        if not isinstance(self.heartbeat_seconds, int | float) or self.heartbeat_seconds < 0:
            raise SpecError(f"heartbeat_seconds is a number of seconds, 0 for never, not {self.heartbeat_seconds!r}")
        if isinstance(self.watch_patterns, str):
            raise SpecError(f"watch_patterns is a list of texts, not one text: [{self.watch_patterns!r}]")
        if self.kill_order not in ("children-first", "parent-first"):
            raise SpecError(f"kill_order is 'children-first' or 'parent-first', not {self.kill_order!r}")
        if not (0 <= self.cols <= 10_000 and 0 <= self.rows <= 10_000):
            raise SpecError(f"a terminal of {self.cols}×{self.rows} can't be made: 1 to 10000 each way")

    @property
    def line(self) -> str:
        """The command as the caller wrote it; an argument vector quoted as a shell would need it."""
        if self.command is not None:
            return self.command
        import shlex

        return shlex.join(self.argv or ())


class WaitSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a barrier waits for: exactly one of a job, a process, a time."""

    session_id: str = ""
    on: str = "exit"
    """With a job: its ``exit``; ``success``, an exit with 0; a ``match`` of ``pattern``; ``any``: its exit or a hit of
    one of its own watch patterns."""
    pattern: str = ""
    """What ``match`` waits for, written as in ``watch_patterns``; empty: any of the job's own."""
    pid: int = 0
    """Until this process is gone."""
    seconds: float = 0.0
    """Until so long from now."""
    until: float = 0.0
    """Until this wall-clock time."""
    timeout: float = 0.0
    """Give up after so many seconds; 0 takes `barrier_max_seconds`. A time has none."""
    reason: str = ""
    then: str = ""
    """A shell line to run once what was waited for has happened."""
    cwd: str | None = None
    """Where ``then`` runs."""


class GoalSpec(msgspec.Struct, frozen=True, kw_only=True):
    """An objective with a loop: each turn runs ``step``, then asks the judge (spec 2.7)."""

    goal: str
    """The objective, in words."""
    step: str
    """A shell line."""
    judge: str = "exit-code"
    """``exit-code``, or a shell line that is asked: JSON on its stdin, a verdict as JSON on its stdout."""
    max_turns: int = 0
    """0 takes the setting (20)."""
    cwd: str | None = None
    env: dict[str, str | None] = {}


def _check_encodable(text: str) -> None:
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise SpecError(f"{text!r} can't be handed to a program: it holds half of a surrogate pair") from error
