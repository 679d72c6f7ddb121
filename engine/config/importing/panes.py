"""What mprocs and dekit have in common: a task in a pane of its own."""

import shlex
from typing import Any

from engine.config.importing.imported import Imported
from engine.config.importing.reading import plain, texts

_CONFIG_DIR = "<CONFIG_DIR>"


def pane_job(found: Imported, where: str, task: dict[str, Any], *, path_first: bool) -> dict[str, Any] | None:
    """Command, folder, environment and policy of one task; None for one that has no command. ``path_first``: entries of
    ``add_path`` go before the others."""
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
    _add_path(job, texts(task.get("add_path")), first=path_first)
    job["pty"] = True
    if task.get("autorestart") is True:
        job["restart"] = "always"
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
    added = ":".join(shlex.quote(folder) for folder in folders)
    path = f'{added}:"$PATH"' if first else f'"$PATH":{added}'
    line = job["command"] if "command" in job else f"exec {shlex.join(job.pop('argv'))}"
    job["command"] = f"export PATH={path}; {line}"


def _stop(found: Imported, where: str, stop: Any) -> None:
    if stop in (None, "SIGTERM", "shutdown"):
        return
    if stop in ("hard-kill", "SIGKILL", "kill"):
        found.lose(f"{where}.stop", "jobdeck ends a job by TERM and a grace; X in the console kills at once")
    else:
        found.lose(f"{where}.stop", f"jobdeck ends a job by TERM, then KILL: not by {plain(stop)}")
