"""The tables of the configuration file, one struct each; what they say is `[jobs.NAME]`, `[agents.NAME]` and so on.

Each raises `ValueError` with what to change where its fields contradict each other.
"""

import math
from typing import Literal

import msgspec


class Ready(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """When a job counts as ready for those that wait for it (``after``): exactly one of the first five."""

    line: str = ""
    """It has printed a line with this text; ``/…/`` is a regular expression, as in ``watch_patterns``."""
    port: int = 0
    """Something of this machine listens on this TCP port; not what did so already before the job began."""
    http: str = ""
    """A GET of this address answers with a status below 400."""
    command: str = ""
    """A shell line, run every ``every`` seconds in the job's folder with its environment, exits with 0."""
    exit: int | None = None
    """The job itself has ended with this code: a task rather than a server."""
    timeout: float = 0.0
    """Seconds from its start after which it has failed to become ready; 0: none."""
    every: float = 0.5
    """Seconds between two looks at ``port``, ``http`` and ``command``."""

    def __post_init__(self) -> None:
        given = [name for name in ("line", "port", "http", "command") if getattr(self, name)]
        given += ["exit"] if self.exit is not None else []
        if len(given) != 1:
            told = " and ".join(given) if given else "none of them"
            raise ValueError(f"ready takes exactly one of line, port, http, command, exit, and this has {told}")
        if self.port and not 0 < self.port < 65_536:
            raise ValueError(f"port is 1 to 65535, not {self.port}")
        if self.http and not self.http.startswith(("http://", "https://")):
            raise ValueError(f"http is an address such as 'http://localhost:8000/health', not {self.http!r}")
        if not (0 <= self.timeout < math.inf and 0 < self.every < math.inf):
            raise ValueError("timeout is 0 or more seconds, every more than 0")

    @property
    def wanted(self) -> str:
        """What is waited for, for people."""
        if self.line:
            return f"the line {self.line!r}"
        if self.port:
            return f"port {self.port}"
        if self.http:
            return self.http
        return f"exit code {self.exit}" if self.exit is not None else f"{self.command!r} to succeed"


class JobEntry(msgspec.Struct, frozen=True, kw_only=True):
    """``[jobs.NAME]``: a job of the file. Give ``command`` or ``argv``."""

    command: str = ""
    """A shell line."""
    argv: tuple[str, ...] = ()
    """Exact arguments, without a shell."""
    cwd: str = ""
    """Its folder, from that of the file on; empty: the file's."""
    env: dict[str, str | int | bool] = {}
    """Additions to the environment; ``false`` removes a name."""
    env_file: str | tuple[str, ...] = ()
    """Files of ``NAME=value`` lines, from the folder of the file on; later ones go before earlier,
    ``env`` before all."""
    pty: bool = False
    """Give it a terminal."""
    stdin: Literal["null", "pipe"] = "null"
    """``"pipe"``: it reads what is sent to it; ``"null"``: it has no input. With ``pty`` its terminal is its input."""
    autostart: bool = False
    """Start it with jobdeck."""
    after: tuple[str, ...] = ()
    """Jobs that must be ready before it is started; they are started with it."""
    ready: Ready | None = None
    """When it counts as ready; without: as soon as it runs."""
    watch_patterns: tuple[str, ...] = ()
    """Texts, or ``/expressions/`` (``/…/i`` for either case), whose lines are told as they come."""
    heartbeat_seconds: float = 0.0
    """Its new output is told this often, at least ``heartbeat_min_seconds`` apart; 0: not."""
    notify_on_complete: bool = False
    """Its end is told to who owns it."""
    restart: Literal["never", "on-failure", "always"] = "never"
    """Start it again when it ends: never, when it ended with anything but 0, always. A stop by hand stays a stop."""
    backoff: float = 1.0
    """Seconds before it is started again; twice as many each time, until it has run for a while."""
    max_restarts: int = 0
    """So many restarts in a row at most; 0: no limit."""
    restart_on_change: tuple[str, ...] = ()
    """Files, as shell patterns from the folder of the file on (``backend/**/*.py``), whose change restarts it."""
    tags: tuple[str, ...] = ()
    """Words to filter and group by: ``#web`` in the stack's filter."""
    persist: bool | None = None
    """It outlives jobdeck; not given: as the setting ``persist`` says."""
    on_exit: str | tuple[str, ...] | None = None
    """What is run when it ends, in place of the setting ``on_exit``; empty: nothing."""
    on_hit: str | tuple[str, ...] | None = None
    """What is run when a watch of it hits, in place of the setting ``on_hit``; empty: nothing."""
    kill_order: Literal["children-first", "parent-first"] = "children-first"
    """Whom a kill ends first; ``"parent-first"`` for supervisors that reap their own children."""
    host: str = ""
    """Where it runs: an entry of ``[hosts]``; empty: here."""

    def __post_init__(self) -> None:
        if bool(self.command.strip()) == bool(self.argv):
            raise ValueError("give either command (a shell line) or argv (exact arguments)")
        if "\0" in "".join((self.command, *self.argv, self.cwd, *self.env, *map(str, self.env.values()))):
            raise ValueError("there is a NUL character in it, which no program can be given")
        numbers = (self.heartbeat_seconds, self.backoff, self.max_restarts)
        if not all(0 <= number < math.inf for number in numbers):
            raise ValueError("heartbeat_seconds, backoff and max_restarts are 0 or more")
        wrong = next((name for name, value in self.env.items() if value is True or not name or "=" in name), None)
        if wrong is not None:
            raise ValueError(f"env holds texts, numbers, or false to remove a name: not {wrong!r} as it is here")

    @property
    def env_files(self) -> tuple[str, ...]:
        """The environment files, one or more."""
        return (self.env_file,) if isinstance(self.env_file, str) else self.env_file


class AgentEntry(msgspec.Struct, frozen=True, kw_only=True):
    """``[agents.NAME]``: a program that does a task."""

    command: tuple[str, ...]
    """Its exact arguments; ``{prompt}`` in one of them stands for the task."""
    send: Literal["stdin", "inbox"] = "stdin"
    """How a message reaches a running one: on its standard input, or in its inbox file."""
    pty: bool = False
    """Give it a terminal."""
    cwd: str = ""
    """Its folder; empty: that of who asks."""
    env: dict[str, str | int | bool] = {}
    """Additions to the environment; ``false`` removes a name."""

    def __post_init__(self) -> None:
        if not self.command:
            raise ValueError("command is empty: its first word is the program")
        if not any("{prompt}" in word for word in self.command):
            raise ValueError("command has no '{prompt}': one of its words must say where the task's text goes")


class HostEntry(msgspec.Struct, frozen=True, kw_only=True):
    """``[hosts.NAME]``: another machine or container to run jobs on."""

    via: tuple[str, ...]
    """What goes before the command: ``["ssh", "-tt", "build1", "--"]``."""
    remote_kill: bool = True
    """A kill also ends what runs over there."""
    kill: tuple[str, ...] = ()
    """Exact arguments, run here, that end a job over there where ``via`` can't be used for that; ``{pid}``, ``{node}``,
    ``{slurm_job}``, ``{slurm_step}`` and ``{session_id}`` are filled in."""
    shells: int | None = None
    """How many shells read the command on its way; not given: one for each ``ssh`` in ``via``."""

    def __post_init__(self) -> None:
        if self.shells is not None and self.shells < 0:
            raise ValueError(f"shells is a number of shells, 0 or more, not {self.shells}")
        if not self.via:
            raise ValueError(
                "via is empty: it holds what goes before the command, such as ['ssh', '-tt', 'build1', '--']"
            )


class ThemeEntry(msgspec.Struct, frozen=True, kw_only=True):
    """``[themes.NAME]``: colours of the console, as ``#rrggbb`` or by name."""

    primary: str
    """Borders, titles and what has the focus; colours that aren't given are made from it."""
    secondary: str | None = None
    """A second tone beside ``primary``: patterns in the feed of hits."""
    accent: str | None = None
    """What is to be noticed: waits, marks, type mode."""
    foreground: str | None = None
    """Text."""
    background: str | None = None
    """What everything stands on."""
    surface: str | None = None
    """What stands on the background: lists, fields."""
    panel: str | None = None
    """Bars and dialogs."""
    success: str | None = None
    """What ended well, or is ready."""
    warning: str | None = None
    """What should be looked at."""
    error: str | None = None
    """What failed."""
    dark: bool = True
    """Is it for a dark terminal? What is made from the colours goes by it."""
    variables: dict[str, str] = {}
    """Textual's and jobdeck's own colour variables by name."""
