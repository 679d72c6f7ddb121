"""Jobs under a holder: where one is found again, and what its holder remembers of it for the next engine (spec 3.4).

Each has a folder of its own, ``held/SESSION_ID`` in the home: the log, the holder's socket, and at last the exit.
"""

import json
from pathlib import Path

import msgspec

from engine.process.identity import Identity
from engine.spec import Caller, JobSpec


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """Who holds a job: what its checkpoint entry says. All else is asked of the holder."""

    session_id: str
    holder_pid: int
    holder_start: float
    pid: int
    """The job's direct child; 0 until it has one."""
    start_time: float
    boot: str = ""
    """The run of the machine in which these numbers count."""

    @property
    def identity(self) -> Identity:
        """The job's direct child."""
        return Identity(self.pid, self.start_time)

    @property
    def holder(self) -> Identity:
        """The holder's process."""
        return Identity(self.holder_pid, self.holder_start)


class WatchStory(msgspec.Struct, frozen=True, kw_only=True):
    """One side's watch over a held job, as it stands."""

    owner: str
    patterns: tuple[str, ...]
    hits: int = 0
    delivered: int = 0
    disabled: str = ""
    told_at: int = -1
    """Where the unfinished line begins that its owner has been told of; -1: of none."""


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """All that makes a job again what it was, but for its output. Only in the holder's memory: it isn't redacted."""

    spec: JobSpec
    owner: Caller
    slot: str
    cwd: str
    started_at: float
    through_shell: bool = False
    goal_id: str = ""
    goal_part: str = ""
    batch_id: str = ""
    replaces: str = ""
    pending_line_bytes: int = 0
    notify_on_complete: bool = False
    watches: tuple[WatchStory, ...] = ()
    heartbeat_seconds: float = 0.0
    ending: bool = False
    """A kill is under way: who was stopped for it must go on, if the engine dies meanwhile."""

    def encode(self) -> bytes:
        """As the holder keeps it. By ``json``, as arguments that aren't UTF-8 have no other text form."""
        return json.dumps(msgspec.to_builtins(self)).encode()


def decode_story(data: bytes) -> Story:
    """What `Story.encode` made.

    Raises:
        ValueError: It isn't one.
    """
    return msgspec.convert(json.loads(data), Story)


def held_folder(home: Path) -> Path:
    """Where the holders of a home have their folders."""
    return home / "held"
