"""Where goals are kept: ``goals/ID.json``."""

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engine.goals.state import GoalState, decode
from engine.store.files import read_file, read_whole, sweep
from engine.store.home import home_folder, private_folder

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

    def touch(self, goal_id: str) -> None:
        """Have who watches the folder look at a goal. Never raises."""
        with suppress(OSError):
            os.utime(self.file(goal_id))
