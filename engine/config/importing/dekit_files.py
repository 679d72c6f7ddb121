"""A ``dekit.yaml`` with the fragments that it loads, as one list of tasks."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from engine.config.importing.imported import Imported, NotUnderstood
from engine.config.importing.reading import Computed, read_yaml, table, texts

_MOST_FILES = 100


class Task(NamedTuple):
    """One task, where it is declared."""

    path: str
    given: Any
    folder: Path
    """That of the file that declares it, from which its paths are told."""
    mount: str
    """The path at which that file's tasks are; empty: at the root."""

    def depends(self, name: str) -> str:
        """The path of a task that it names."""
        return name.removeprefix("/") if name.startswith("/") else _below(self.mount, name)


def read_tasks(file: Path, found: Imported) -> tuple[dict[str, Any], list[Task]]:
    """What ``dekit.yaml`` says, and all tasks of it and of its fragments.

    Raises:
        NotUnderstood, OSError: It is none, or can't be read.
    """
    document = read_yaml(file)
    tasks = list(_tasks(document, file, "", found, [file]))
    return document, tasks


def _tasks(document: dict[str, Any], file: Path, mount: str, found: Imported, seen: list[Path]) -> Iterator[Task]:
    given = document.get("tasks")
    if isinstance(given, dict):
        for name, task in given.items():
            yield Task(_below(mount, str(name)), task, file.parent, mount)
    for entry in document["load"] if isinstance(document.get("load"), list) else ():
        at = str(table(entry).get("at") or "")
        wanted = entry.get("file") if isinstance(entry, dict) else entry
        if isinstance(wanted, Computed) or not isinstance(wanted, str):
            found.lose("load", f"{wanted} is computed by JavaScript, or is no text")
            continue
        there = sorted(file.parent.glob(wanted))
        if not there:
            found.lose(f"load.{wanted}", "there is no such file")
        for fragment in there:
            yield from _fragment(fragment, _below(mount, at) if at else mount, found, seen)


def _fragment(file: Path, mount: str, found: Imported, seen: list[Path]) -> Iterator[Task]:
    if file in seen or len(seen) > _MOST_FILES:
        return
    seen.append(file)
    try:
        document = read_yaml(file)
    except (NotUnderstood, OSError) as error:
        found.lose(f"load.{file.name}", str(error))
        return
    yield from _tasks(document, file, mount, found, seen)


def _below(mount: str, name: str) -> str:
    return f"{mount.strip('/')}/{name}" if mount else name


def from_root(path: str, folder: Path, root: Path) -> str:
    """A path that is told from ``folder`` as told from ``root``; absolute ones, and those of a home, stay."""
    if path.startswith(("/", "~")):
        return path
    return os.path.relpath(folder / path, root)


def computed(value: Any) -> bool:
    """Is any of it an expression of JavaScript?"""
    if isinstance(value, dict):
        return any(computed(one) for one in value.values())
    return isinstance(value, Computed) or (isinstance(value, list) and any(computed(one) for one in value))


def plain_parts(found: Imported, where: str, task: dict[str, Any]) -> dict[str, Any]:
    """A task without what only JavaScript could tell; of its environment the names that are told stay."""
    kept = {key: value for key, value in task.items() if not computed(value) or key == "cmd"}
    env = task.get("env")
    if isinstance(env, dict) and computed(env):
        kept["env"] = {name: value for name, value in env.items() if not computed(value)}
    for key, value in task.items():
        if key not in kept:
            found.lose(f"{where}.{key}", "it is computed by JavaScript")
        elif kept[key] is not value:
            for name in (name for name in value if name not in kept[key]):
                found.lose(f"{where}.{key}.{name}", "it is computed by JavaScript")
    return kept


def words(value: Any) -> list[str]:
    """A command as its words: a list of them, or a line that is split as a shell splits it.

    Raises:
        ValueError: A quote isn't closed.
    """
    import shlex

    return shlex.split(value) if isinstance(value, str) else texts(value)
