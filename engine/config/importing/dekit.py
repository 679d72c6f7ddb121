"""A ``dekit.yaml``."""

import re
import shlex
from pathlib import Path
from typing import Any

from engine.config.importing.dekit_files import Task, computed, from_root, plain_parts, read_tasks
from engine.config.importing.dekit_files import words as split
from engine.config.importing.imported import Imported, NotUnderstood, words
from engine.config.importing.panes import pane_job
from engine.config.importing.reading import table, texts
from engine.config.importing.selecting import selected

_SHARED = words("cwd env add_path autostart autorestart stop log scrollback_len mouse_scroll_speed")
_TASK = _SHARED | words("cmd shell script label type deps tags ready")
_READY = words("log tcp http cmd file sd_notify interval timeout")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)\Z")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_LOCAL = ("localhost", "127.0.0.1", "[::1]", "")


def read_dekit(file: Path) -> Imported:
    """Each task is a job on a terminal; ``deps`` are ``after``, and what ends is waited for until it has."""
    found = Imported(file.name)
    document, tasks = read_tasks(file, found)
    if not tasks:
        raise NotUnderstood(f"{file.name} has no tasks")
    defaults = plain_parts(found, "defaults", table(selected(document.get("defaults"))))
    found.lose_unknown("defaults", defaults, _SHARED)
    for task in tasks:
        where = f"tasks.{task.path}"
        if task.path.endswith("/"):
            found.lose(where, "a folder of the list: tags and names group jobs here")
            continue
        job = _job(found, where, task, defaults, file.parent)
        if job is not None:
            found.jobs[task.path] = job
    if any("after" in job for job in found.jobs.values()):
        found.lose("deps", "a job that others need isn't brought back when it is stopped")
    if document.get("vars") is not None:
        found.lose("vars", "only JavaScript reads them")
    known = frozenset({"tasks", "defaults", "load", "vars"})
    found.lose_unknown("", document, known, "it is about dekit itself, not about jobs")
    return found


def _job(found: Imported, where: str, task: Task, defaults: dict[str, Any], root: Path) -> dict[str, Any] | None:
    given = selected(task.given)
    own = plain_parts(found, where, given if isinstance(given, dict) else {"cmd": given})
    found.lose_unknown(where, own, _TASK)
    if own.get("script") is not None:
        found.lose(where, "a script for dekit's own JavaScript runtime has nothing to run it here")
        return None
    if computed(own.get("cmd")):
        found.lose(where, "its cmd is computed by JavaScript")
        return None
    ours = {key: value for key, value in defaults.items() if key in _SHARED} | own  # whole: env isn't put together
    folder = task.folder if "cwd" in own else root
    if ours.get("cwd") is not None:
        ours["cwd"] = from_root(str(ours["cwd"]), folder, root)
    base = task.folder if "add_path" in own else root
    paths = [from_root(one, base, root) for one in texts(ours.pop("add_path", None))]
    job = pane_job(found, where, {**ours, "stop": _stop(found, where, ours.get("stop"))}, add_path=paths, first=True)
    if job is None:
        return None
    job["autostart"] = ours.get("autostart") is True
    if own.get("deps"):
        job["after"] = [task.depends(one) for one in texts(own["deps"])]
    ready = {"exit": 0} if own.get("type") == "job" else _ready(found, where, own.get("ready"))
    if ready is not None:
        job["ready"] = ready
    if own.get("tags"):
        job["tags"] = texts(own["tags"])
    if own.get("label") is not None:
        found.lose(f"{where}.label", f"the job is called {task.path}")
    return job


def _ready(found: Imported, where: str, given: Any) -> dict[str, Any] | None:
    if given is None:
        return None
    check, where = table(given), f"{where}.ready"
    ready: dict[str, Any] = {}
    tcp = str(check.get("tcp") or "")
    host, _, port = tcp.rpartition(":")
    if check.get("log") is not None:
        ready["line"] = str(check["log"])
    elif tcp and host in _LOCAL and port.isdigit():
        ready["port"] = int(port)
    elif check.get("http") is not None:
        ready["http"] = str(check["http"])
    elif check.get("cmd") is not None:
        try:
            ready["command"] = shlex.join(split(check["cmd"]))
        except ValueError as error:
            found.lose(f"{where}.cmd", f"it can't be cut into words ({error})")
            return None
    elif check.get("file") is not None:
        ready["command"] = f"test -e {shlex.quote(str(check['file']))}"
    else:
        lost = "nobody hears what it says to systemd" if "sd_notify" in check else "it has no check that is known here"
        found.lose(where, f"port looks at this machine alone, not at {tcp}" if tcp else lost)
        return None
    if not ready.keys() & {"line"}:
        ready["every"] = _seconds(found, f"{where}.interval", check.get("interval")) or 1.0
    if seconds := _seconds(found, f"{where}.timeout", check.get("timeout")):
        ready["timeout"] = seconds
        found.lose(f"{where}.timeout", "who isn't ready in time runs on; those that wait for it are told")
    found.lose_unknown(where, check, _READY)
    return ready


def _seconds(found: Imported, where: str, given: Any) -> float:
    if given is None:
        return 0.0
    match = _DURATION.match(str(given))
    if match is None:
        found.lose(where, f"{given!r} is no duration")
        return 0.0
    return round(float(match[1]) * _SECONDS[match[2]], 3)


def _stop(found: Imported, where: str, given: Any) -> Any:
    """How it is stopped, as `pane_job` has it; what is told of that besides is lost."""
    if not isinstance(given, dict):
        return given
    if given.get("timeout") is not None:
        found.lose(f"{where}.stop.timeout", "term_grace_seconds in [settings] counts for all")
    if given.get("group") is False:
        found.lose(f"{where}.stop.group", "jobdeck ends the whole tree")
    rest = {key: value for key, value in given.items() if key not in ("timeout", "group", "signal")}
    return rest or given.get("signal")
