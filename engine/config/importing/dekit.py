"""A ``dekit.yaml``."""

from pathlib import Path
from typing import Any

from engine.config.importing.imported import Imported, NotUnderstood, words
from engine.config.importing.panes import pane_job
from engine.config.importing.reading import read_yaml, table, texts
from engine.config.importing.selecting import selected

_TASK = words(
    """
    cmd shell script label deps tags cwd env add_path autostart autorestart ready_log stop log
    scrollback_len mouse_scroll_speed
    """
)
_DEFAULTS = words(
    """
    cwd env add_path autostart autorestart ready_log stop log scrollback_len mouse_scroll_speed
    """
)


def read_dekit(file: Path) -> Imported:
    """Each task is a job on a terminal; ``deps`` and ``ready_log`` are ``after`` and ``ready``."""
    document = selected(read_yaml(file))
    tasks, defaults = document.get("tasks"), table(document.get("defaults"))
    if not isinstance(tasks, dict) or not tasks:
        raise NotUnderstood(f"{file.name} has no tasks")
    found = Imported(file.name)
    found.lose_unknown("defaults", defaults, _DEFAULTS)
    for path, given in tasks.items():
        name, where = str(path), f"tasks.{path}"
        own: dict[str, Any] = given if isinstance(given, dict) else {"shell": given}
        task = {key: value for key, value in defaults.items() if key in _DEFAULTS} | own
        if isinstance(defaults.get("env"), dict) and isinstance(own.get("env"), dict):
            task["env"] = {**defaults["env"], **own["env"]}
        if task.get("script") is not None:
            found.lose(where, "a script for dekit's own JavaScript runtime has nothing to run it here")
            continue
        job = pane_job(found, where, task, path_first=True)
        if job is None:
            continue
        job["autostart"] = task.get("autostart") is True
        if task.get("deps"):
            job["after"] = [one.removeprefix("/") for one in texts(task["deps"])]
        if task.get("ready_log") is not None:
            job["ready"] = {"line": str(task["ready_log"])}
        if task.get("tags"):
            job["tags"] = texts(task["tags"])
        if task.get("label") is not None:
            found.lose(f"{where}.label", f"the job is called {name}")
        found.lose_unknown(where, own, _TASK)
        found.jobs[name] = job
    if any("after" in job for job in found.jobs.values()):
        found.lose("deps", "a job that others need isn't brought back when it is stopped")
    found.lose_unknown("", document, frozenset({"tasks", "defaults"}), "it is about dekit itself, not about jobs")
    return found
