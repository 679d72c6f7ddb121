"""Where goals are kept, and who hosts each: ``goals/ID.json``, with ``goals/ID.lock`` held by its host."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.goals.state import GoalState, decode
from engine.process.identity import Identity, identify, is_alive
from engine.store.files import read_file, read_whole, remove, sweep
from engine.store.home import home_folder, private_folder
from engine.store.lock import FileLock

_PREFIX = "goal_"


class GoalFolder:
    """The goals of this home. All of it may block: not for the engine's loop."""

    def __init__(self, folder: Path | None = None) -> None:
        self.path = folder or home_folder() / "goals"

    def make(self) -> None:
        """Make the folder, and remove what dead processes left half-written.

        Raises:
            OSError: It can't be made.
        """
        private_folder(private_folder(self.path.parent) / self.path.name)
        sweep(self.path)

    def file(self, goal_id: str) -> Path:
        """Where a goal is kept."""
        return self.path / f"{goal_id}.json"

    def ids(self) -> list[str]:
        """The goals that are kept here; empty if there is no folder.

        Raises:
            OSError: The folder can't be read.
        """
        try:
            names = os.listdir(self.path)
        except FileNotFoundError:
            return []
        return sorted(name[:-5] for name in names if name.startswith(_PREFIX) and name.endswith(".json"))

    def read(self, goal_id: str, report: Callable[[str], object] | None = None) -> GoalState | None:
        """A goal; None if there is none or it can't be read. Its host moves one that can't be parsed aside and tells
        ``report``.

        Raises:
            OSError: It is there and can't be read.
        """
        path = self.file(goal_id)
        if report is not None:
            state = read_whole(path, decode, report)
        else:
            try:
                state = decode(read_file(path))
            except (FileNotFoundError, ValueError):
                return None
        if state is not None:
            state.goal_id = goal_id
        return state

    def lease(self, goal_id: str) -> "Lease":
        """The right to host a goal; not taken yet."""
        return Lease(self.path / f"{goal_id}.lock")

    def forget(self, goal_id: str) -> None:
        """Remove a goal for good; by its host.

        Raises:
            OSError: It can't be removed.
        """
        remove(self.file(goal_id))


class _Holder(msgspec.Struct):
    pid: int
    start_time: float


class Lease:
    """The right to host one goal: one process has it, and the kernel takes it from the dead."""

    def __init__(self, path: Path) -> None:
        self._lock = FileLock(path)

    def take(self, wait: float = 0.0) -> bool:
        """Take it; False if somebody else hosts the goal.

        Raises:
            OSError: The home can't be used.
        """
        if not self._lock.acquire(wait):
            return False
        ours = identify(os.getpid())
        if ours is not None:
            self._lock.note(msgspec.json.encode(_Holder(ours.pid, ours.start_time)))
        return True

    def holder(self) -> Identity | None:
        """Who hosts the goal, as far as it is written down and still runs."""
        try:
            noted = msgspec.json.decode(read_file(self._lock.path), type=_Holder)
        except (OSError, ValueError):
            return None
        identity = Identity(noted.pid, noted.start_time)
        return identity if is_alive(identity) else None

    def give_up(self) -> None:
        """Let another host it; that changes the file, so that who watches the folder sees it."""
        if self._lock.held:
            self._lock.note(b"")
            self._lock.release()

    def remove(self) -> None:
        """Let go for good: the goal is no more. Never raises."""
        if self._lock.held:
            with suppress(OSError):
                self._lock.path.unlink()
            self._lock.release()

    def forked(self) -> None:
        """In a forked child: it hosts nothing."""
        self._lock.forked()
