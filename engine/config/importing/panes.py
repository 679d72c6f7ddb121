"""What mprocs and dekit have in common: a task in a pane of its own."""

import os
import shlex
from typing import Any

from engine.config.importing.imported import Imported
from engine.config.importing.reading import plain, texts

_CONFIG_DIR = "<CONFIG_DIR>"


def pane_job(
    found: Imported, where: str, task: dict[str, Any], *, add_path: list[str], first: bool = False
) -> dict[str, Any] | None:
    """Command, folder, environment and policy of one task; None for one that has no command.

    ``add_path``: folders for ``PATH``: before the others (``first``), told from the file's folder on; else behind them,
    as they are.
    """
    job: dict[str, Any] = {}
    line, command = task.get("shell"), task.get("cmd")
    if line is not None:
        job["command"] = str(line)
    elif isinstance(command, list) and command:
        job["argv"] = texts(command)
    elif isinstance(command, str) and command.strip():
        try:
            job["argv"] = shlex.split(command)
        except ValueError as error:
            found.lose(where, f"its cmd can't be cut into words ({error}): {command}")
            return None
    else:
        found.lose(where, "it has neither shell nor cmd")
        return None
    if task.get("cwd") is not None:
        cwd = str(task["cwd"])
        job["cwd"] = (cwd.removeprefix(_CONFIG_DIR).lstrip("/") or ".") if cwd.startswith(_CONFIG_DIR) else cwd
    env = task.get("env")
    if isinstance(env, dict):
        job["env"] = {str(name): False if value is None else plain(value) for name, value in env.items()}
    elif isinstance(env, list):  # as old files had it
        job["env"] = dict(one.partition("=")[::2] for one in texts(env))
    _add_path(job, add_path, first=first)
    job["pty"] = True
    if task.get("autorestart") in (True, "on-failure", "always"):
        job["restart"] = "always" if task["autorestart"] == "always" else "on-failure"
    _stop(found, where, task.get("stop"))
    if task.get("log") not in (None, False):
        found.lose(f"{where}.log", "no log file of its own: jobdeck keeps the output in the pane and a receipt")
    for key, why in (("scrollback_len", "scrollback_lines in [settings] counts for all"),
                     ("scrollback", "scrollback_lines in [settings] counts for all"),
                     ("mouse_scroll_speed", "there is no such setting")):  # fmt: skip
        if task.get(key) is not None:
            found.lose(f"{where}.{key}", why)
    return job


def _add_path(job: dict[str, Any], folders: list[str], *, first: bool) -> None:
    if not folders:
        return
    if first:
        path = ":".join([*(_whole(folder, str(job.get("cwd", "."))) for folder in folders), '"$PATH"'])
    else:
        path = ":".join(['"$PATH"', *(shlex.quote(folder) for folder in folders)])
    line = job["command"] if "command" in job else f"exec {shlex.join(job.pop('argv'))}"
    job["command"] = f"export PATH={path}; {line}"


def _whole(folder: str, cwd: str) -> str:
    """A folder's whole path for the shell, which begins in ``cwd``."""
    if folder.startswith("~/"):
        return f'"$HOME"/{shlex.quote(folder[2:])}'
    if folder.startswith("/"):
        return shlex.quote(folder)
    away = os.path.relpath(folder, cwd) if not cwd.startswith(("/", "~")) else folder
    return f'"$PWD"/{shlex.quote(away)}'


def _stop(found: Imported, where: str, stop: Any) -> None:
    if stop in (None, "SIGTERM", "shutdown"):
        return
    if stop in ("hard-kill", "SIGKILL", "kill"):
        found.lose(f"{where}.stop", "jobdeck ends a job by TERM and a grace; X in the console kills at once")
    else:
        found.lose(f"{where}.stop", f"jobdeck ends a job by TERM, then KILL: not by {plain(stop)}")
