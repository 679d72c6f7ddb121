"""Verbs on a goal that another process hosts: asked for by a file beside the goal, answered by another (spec 4.1).

The asker writes ``ID.8hex.ask``; the host renames it to ``.doing``, so that only one side ever has it, does it, and
writes ``.answer``.
"""

import os
import secrets
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from engine.spec import WaitSpec
from engine.store.files import read_file, write_whole
from engine.waiting import BarrierView, GoalView

_STALE_SECONDS = 60.0


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """One verb on one goal."""

    verb: str
    """``wait``, ``unwait``, ``pause``, ``resume`` or ``clear``."""
    reason: str = ""
    spec: WaitSpec = WaitSpec()


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came of it."""

    goal: GoalView | None = None
    """How the goal stands now."""
    barrier: BarrierView | None = None
    lifted: bool = False
    status: str = "ok"
    error: str = ""
    """With another status: why it was refused."""


class Asked:
    """An ask on its way. All of it may block."""

    def __init__(self, folder: Path, goal_id: str, ask: Ask) -> None:
        self._path = folder / f"{goal_id}.{secrets.token_hex(4)}.ask"
        write_whole(self._path, msgspec.json.encode(ask))

    def answer(self) -> Answer | None:
        """The answer, if it has come.

        Raises:
            OSError, ValueError: It can't be read.
        """
        path = self._path.with_suffix(".answer")
        try:
            found = msgspec.json.decode(read_file(path), type=Answer)
        except FileNotFoundError:
            return None
        path.unlink(missing_ok=True)
        return found

    def take_back(self) -> bool:
        """Ask no longer; False if the host has it in hand already."""
        try:
            self._path.unlink()
        except FileNotFoundError:
            return False
        return True


class Taken(msgspec.Struct, frozen=True):
    """An ask that this host has in hand."""

    goal_id: str
    ask: Ask
    path: Path

    def answer(self, answer: Answer) -> None:
        """Tell what came of it. May block.

        Raises:
            OSError: It can't be written.
        """
        write_whole(self.path.with_suffix(".answer"), msgspec.json.encode(answer))
        self.path.unlink(missing_ok=True)


def is_ask(name: str) -> bool:
    """Is this the name of an ask?"""
    return name.endswith(".ask")


def goal_of(name: str) -> str:
    """The goal that a file in the folder is about."""
    return name.split(".", 1)[0]


def take_asks(folder: Path, goal_ids: frozenset[str]) -> list[Taken]:
    """What is asked of these goals, oldest first, now in our hands; what nobody waits for any more is removed.

    May block. What can't be read is dropped: its asker is told nothing, in time.
    """
    taken = []
    with suppress(OSError):
        names = [name for name in os.listdir(folder) if name.endswith((".ask", ".doing", ".answer"))]
        for _at, path in sorted((_changed_at(folder / name), folder / name) for name in names):
            if _changed_at(path) < time.time() - _STALE_SECONDS:
                path.unlink(missing_ok=True)
            elif is_ask(path.name) and goal_of(path.name) in goal_ids:
                taken += _take(path)
    return taken


def _take(path: Path) -> list[Taken]:
    doing = path.with_suffix(".doing")
    try:
        path.rename(doing)
        return [Taken(goal_of(path.name), msgspec.json.decode(read_file(doing), type=Ask), doing)]
    except (OSError, ValueError):
        return []


def _changed_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
