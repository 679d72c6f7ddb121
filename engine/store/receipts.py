"""Receipts: how a job ended and the end of its output, a file each, for whoever comes later (spec 3.1)."""

import re
from collections.abc import Collection
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import msgspec

from engine.place import Place
from engine.store.files import FileTrouble, read_or_set_aside, write_whole
from engine.store.home import private_folder

_SECONDS_PER_DAY = 86_400.0
_NAME = re.compile(r"proc_[0-9a-f]{12}|bg_\d{14}_[0-9a-f]{8}")
_END_OF_TIME = 253_402_300_800.0
"""The year 10000, beyond which no clock and no calendar goes."""
_PREVIEW_CHARS = 600


class Receipt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A finished job. Command and output are redacted, the output is raw otherwise.

    What has a default is left out of the file while it is the usual thing.
    """

    id: str
    command: str
    name: str
    cwd: str
    task_id: str
    """What it was part of: its goal, else its group, else its owner."""
    owner_task_id: str
    """The conversation that started it; empty for the operator."""
    parent_session_id: str
    """The job that it replaced, when it was a restart; else empty."""
    slot: str = ""
    """The place in lists of the job of a configuration file that it was a run of; else empty."""
    started_at: float
    exited_at: float
    exit_code: int | None
    completion_reason: str
    termination_source: str
    notify_on_complete: bool
    output: str
    """The newest of it, from the start of a line on."""
    total_output_chars: int
    raw_exit_code: int | None = None
    """What the child itself said, where that is something else."""
    start_error: str = ""
    through_shell: bool = True
    pty: bool = False
    cols: int = 0
    rows: int = 0
    """The terminal's size at the end of the output."""
    tags: tuple[str, ...] = ()
    group: str = ""
    goal_id: str = ""
    goal_part: str = ""
    persist_on_release: bool = False
    host: str = ""
    """Where it ran, if not here."""
    place: Place | None = None
    """Where on that host it may run still."""
    output_from: int = 0
    """Where in the whole output this one begins, in characters and lines; not 0 where the older part was let go."""
    lines_before: int = 0


def encode(receipt: Receipt) -> bytes:
    """For the disk."""
    return msgspec.json.encode(receipt)


class Kept(NamedTuple):
    """What is known of a receipt without its file: all but the output, of which the end is there."""

    receipt: Receipt
    done_at: float
    """From here on its age counts."""


class _Known(NamedTuple):
    mark: tuple[int, int, int]
    """Of the file, as it was read."""
    kept: Kept


class Receipts:
    """``logs/process-results`` of a home, shared by all engines of it. Not for the engine's loop: it blocks."""

    def __init__(self, home: Path, most: int, days: float) -> None:
        self._home = home
        self.folder = home / "logs" / "process-results"
        self._most = most
        self._seconds = days * _SECONDS_PER_DAY
        self._lock = Lock()
        self._known: dict[str, _Known] = {}
        self._told: set[str] = set()

    def path(self, session_id: str) -> Path:
        """Where the receipt of this job is, or will be."""
        return self.folder / f"{session_id}.json"

    def write(self, receipt: Receipt) -> None:
        """Put a receipt on the disk, in place of an earlier one of the same job.

        Raises:
            OSError: It can't be written.
        """
        for folder in (self._home, self._home / "logs", self.folder):
            private_folder(folder)
        write_whole(self.path(receipt.id), encode(receipt))

    def read(self, session_id: str, report: FileTrouble) -> Receipt | None:
        """One receipt, whole; None when there is none (any more) that can be read."""
        try:
            return read_or_set_aside(self.path(session_id), lambda data: _parse(data, session_id), report)
        except OSError as error:
            self._tell_once(self.path(session_id), error, report)
            return None

    def look(self, now: float, report: FileTrouble, spared: Collection[str] = ()) -> dict[str, Kept]:
        """All that are kept, the newest end first. Those above the bounds are removed, but for the ``spared``.

        Raises:
            OSError: The folder can't be read.
        """
        with self._lock:
            try:
                paths = [
                    path for path in self.folder.iterdir() if path.suffix == ".json" and _NAME.fullmatch(path.stem)
                ]
            except FileNotFoundError:
                return {}
            self._known = {path.stem: known for path in paths if (known := self._knowing(path, report)) is not None}
            ordered = sorted(self._known, key=lambda name: self._known[name].kept.done_at, reverse=True)
            for place, name in enumerate(ordered):
                over = place >= self._most or self._known[name].kept.done_at + self._seconds <= now
                if over and name not in spared:
                    self.path(name).unlink(missing_ok=True)
                    del self._known[name]
            return {name: self._known[name].kept for name in ordered if name in self._known}

    def _knowing(self, path: Path, report: FileTrouble) -> _Known | None:
        try:
            about = path.lstat()
            mark = (about.st_ino, about.st_mtime_ns, about.st_size)
            known = self._known.get(path.stem)
            if known is not None and known.mark == mark:
                return known
            receipt = read_or_set_aside(path, lambda data: _parse(data, path.stem), report)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._tell_once(path, error, report)
            return None
        if receipt is None:
            return None
        # A file is written when its job has ended: an end after that was told by a clock that went wrong.
        done_at = min(receipt.exited_at, about.st_mtime)
        short = msgspec.structs.replace(receipt, output=receipt.output[-_PREVIEW_CHARS:])
        return _Known(mark, Kept(short, done_at))

    def _tell_once(self, path: Path, error: OSError, report: FileTrouble) -> None:
        if path.name not in self._told:
            self._told.add(path.name)
            report(f"{path} can't be read ({error.strerror or error}); it stays as it is")


def _parse(data: bytes, session_id: str) -> Receipt:
    try:
        receipt = msgspec.json.decode(data, type=Receipt)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if receipt.id != session_id:
        raise ValueError(f"it is about {receipt.id!r}")
    if not all(0 <= time < _END_OF_TIME for time in (receipt.started_at, receipt.exited_at)):
        raise ValueError("a time that is none")
    if receipt.total_output_chars < 0 or receipt.output_from < 0 or receipt.lines_before < 0:
        raise ValueError("a count that is none")
    if not (0 <= receipt.cols <= 10_000 and 0 <= receipt.rows <= 10_000):
        raise ValueError("a size that is none")
    return receipt
