"""A ``process-compose.yaml``."""

import re
from pathlib import Path
from typing import Any

from engine.config.importing.imported import Imported, NotUnderstood, words
from engine.config.importing.probes import ready_by_probe
from engine.config.importing.reading import DOT_ENV, plain, read_yaml, table, texts

_PROCESS = words(
    """
    command entrypoint working_dir environment env_file depends_on availability readiness_probe
    ready_log_line disabled is_tty is_interactive namespace replicas description name shutdown
    is_dotenv_disabled
    """
)
_PROJECT = words("version name processes environment env_file shell is_strict disable_env_expansion")
_POLICIES = {
    "always": "always",
    "on_failure": "on-failure",
    "exit_on_failure": "never",
    "no": "never",
    "never": "never",
}


def read_process_compose(file: Path) -> Imported:
    """Each process is a job, started with jobdeck unless it is disabled; what others wait for becomes its ``ready``."""
    document = read_yaml(file)
    processes = document.get("processes")
    if not isinstance(processes, dict) or not processes:
        raise NotUnderstood(f"{file.name} has no processes")
    found = Imported(file.name)
    expands = document.get("disable_env_expansion") is not True
    shared = _environment(document.get("environment"), expands=expands)
    files = texts(document.get("env_file"))
    dot_env = [DOT_ENV] if (file.parent / DOT_ENV).is_file() else []
    replicas: dict[str, list[str]] = {}
    for name, given in processes.items():
        process = table(given)
        where = f"processes.{name}"
        job = _job(found, where, process, document.get("shell"), expands=expands)
        if job is None:
            continue
        own = dot_env if process.get("is_dotenv_disabled") is not True else []
        env_files = [*own, *files, *texts(process.get("env_file"))]
        if env_files:
            job["env_file"] = env_files
        env = shared | _environment(process.get("environment"), expands=expands)
        if env:
            job["env"] = env
        count = process.get("replicas")
        names = [f"{name}-{number}" for number in range(count)] if isinstance(count, int) and count > 1 else [str(name)]
        replicas[str(name)] = names
        for number, one in enumerate(names):
            more = {"env": {**env, "PC_REPLICA_NUM": number}} if len(names) > 1 else {}
            found.jobs[one] = {**job, **more}
        found.lose_unknown(where, process, _PROCESS)
    _order(found, processes, replicas)
    found.lose_unknown("", document, _PROJECT, "it is about process-compose itself, not about jobs")
    return found


def _job(found: Imported, where: str, process: dict[str, Any], shell: Any, *, expands: bool) -> dict[str, Any] | None:
    job: dict[str, Any] = {}
    line, entrypoint = process.get("command"), process.get("entrypoint")
    if isinstance(entrypoint, list) and entrypoint:
        job["argv"] = [_unescaped(one, expands=expands) for one in texts(entrypoint)]
    elif isinstance(line, str) and line.strip():
        command = _unescaped(line, expands=expands).strip("\n")
        if isinstance(shell, dict) and shell.get("shell_command"):
            job["argv"] = [*texts(shell["shell_command"]), *texts(shell.get("shell_argument", "-c")), command]
        else:
            job["command"] = command
    else:
        found.lose(where, "it has no command")
        return None
    if process.get("working_dir"):
        job["cwd"] = str(process["working_dir"])
    job["pty"] = process.get("is_tty") is True or process.get("is_interactive") is True
    job["autostart"] = process.get("disabled") is not True
    if process.get("namespace"):
        job["tags"] = [str(process["namespace"])]
    _availability(found, where, process.get("availability"), job)
    _shutdown(found, where, process.get("shutdown"))
    return job


def _availability(found: Imported, where: str, given: Any, job: dict[str, Any]) -> None:
    if not isinstance(given, dict):
        return
    where = f"{where}.availability"
    policy = str(given.get("restart", "no"))
    if policy not in _POLICIES:
        found.lose(f"{where}.restart", f"{policy!r} isn't known here")
    elif _POLICIES[policy] != "never":
        job["restart"] = _POLICIES[policy]
        job["backoff"] = found.number(f"{where}.backoff_seconds", given.get("backoff_seconds"), 1)
        found.lose(f"{where}.backoff_seconds", "the pause grows: twice as long each time, up to a minute")
    if policy == "exit_on_failure":
        found.lose(f"{where}.restart", "its failure doesn't end the other jobs")
    if given.get("max_restarts"):
        job["max_restarts"] = given["max_restarts"]
    for key in ("exit_on_end", "exit_on_skipped"):
        if given.get(key):
            found.lose(f"{where}.{key}", "its end doesn't end the other jobs")


def _shutdown(found: Imported, where: str, given: Any) -> None:
    if not isinstance(given, dict):
        return
    for key, value in given.items():
        if key == "signal" and value in (15, "15"):
            continue
        why = "term_grace_seconds in [settings] counts for all" if key == "timeout_seconds" else (
            "jobdeck ends the whole tree by TERM, then KILL"
        )  # fmt: skip
        found.lose(f"{where}.shutdown.{key}", why)


_NEEDS = ("process_started", "process_healthy", "process_log_ready", "process_completed",
          "process_completed_successfully")  # fmt: skip
"""What one may wait for, each after what it includes or rules out."""


def _order(found: Imported, processes: dict[str, Any], replicas: dict[str, list[str]]) -> None:
    """``depends_on``: here it is said of the job that is waited for when it is ready, once for all who wait."""
    wanted: dict[str, list[str]] = {}
    for name, process in processes.items():
        depends = table(process).get("depends_on")
        if depends is None or str(name) not in replicas:
            continue
        if not isinstance(depends, dict):
            found.lose(f"processes.{name}.depends_on", "it is no table of processes")
            continue
        after: list[str] = []
        for other, how in depends.items():
            if str(other) not in replicas:
                found.lose(f"processes.{name}.depends_on.{other}", "there is no such process here")
                continue
            after += replicas[str(other)]
            condition = str(table(how).get("condition", "process_started"))
            wanted.setdefault(str(other), []).append(condition)
        for one in replicas[str(name)]:
            found.jobs[one]["after"] = after
    for name, names in replicas.items():
        conditions = sorted(set(wanted.get(name, [])), key=lambda one: _NEEDS.index(one) if one in _NEEDS else -1)
        ready = _ready(found, name, table(processes.get(name)), conditions)
        if len(conditions) > 1:
            found.lose(
                f"processes.{name}", f"others wait for it as {', '.join(conditions)}; here all do as {conditions[-1]}"
            )
        for one in names:
            if ready is not None:
                found.jobs[one]["ready"] = ready


def _ready(found: Imported, name: str, process: dict[str, Any], conditions: list[str]) -> dict[str, Any] | None:
    where = f"processes.{name}"
    needed = conditions[-1] if conditions else ""
    if needed.startswith("process_completed"):
        if needed == "process_completed":
            found.lose(where, "others wait for its end, however that is; here for its end with exit code 0")
        return {"exit": 0}
    probe = process.get("readiness_probe")
    if needed == "process_started":
        if probe or process.get("ready_log_line"):
            found.lose(f"{where}.{'readiness_probe' if probe else 'ready_log_line'}", "others wait for its start alone")
        return None
    if process.get("ready_log_line"):
        return {"line": str(process["ready_log_line"])}
    return ready_by_probe(found, f"{where}.readiness_probe", probe) if isinstance(probe, dict) else None


def _environment(given: Any, *, expands: bool) -> dict[str, Any]:
    if isinstance(given, dict):
        return {str(name): _unescaped(plain(value), expands=expands) for name, value in given.items()}
    return {name: _unescaped(value, expands=expands) for name, _, value in (one.partition("=") for one in texts(given))}


def _unescaped(text: str, *, expands: bool) -> str:
    """As it is once process-compose has read it: ``$$`` is a dollar sign. Names are expanded by the shell, here."""
    return re.sub(r"\$\$", "$", text) if expands else text
