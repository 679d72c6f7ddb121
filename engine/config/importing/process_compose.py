"""A ``process-compose.yaml``."""

import re
from pathlib import Path
from typing import Any

from engine.config.importing.imported import Imported, NotUnderstood, words
from engine.config.importing.probes import ready_by_probe
from engine.config.importing.process_watch import changes_of
from engine.config.importing.reading import DOT_ENV, plain, read_yaml, table, texts
from engine.config.importing.templates import Texts

_PROCESS = words(
    """
    command entrypoint working_dir environment env_file depends_on availability readiness_probe
    ready_log_line disabled is_tty is_interactive is_foreground namespace replicas description name shutdown
    is_dotenv_disabled vars watch schedule
    """
)
_PROJECT = words("version name processes environment env_file shell is_strict disable_env_expansion vars env_cmds")
_REASONS = {
    "is_daemon": "it is over when its command is; what that leaves behind is named and can be ended",
    "is_elevated": "it runs as you: put sudo into its command, and pty = true for the password",
    "liveness_probe": "a job that runs isn't looked at any more once it is ready",
    "log_location": "no log file of its own: jobdeck keeps the output in the pane and a receipt",
    "log_configuration": "no log file of its own: jobdeck keeps the output in the pane and a receipt",
    "disable_ansi_colors": "colours are shown",
    "success_exit_codes": "0 is a success; ready = { exit = N } counts N as one",
}
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
    shared = _environment(document.get("environment"))
    variables = _variables(document.get("vars"))
    files = texts(document.get("env_file"))
    dot_env = [DOT_ENV] if (file.parent / DOT_ENV).is_file() else []
    replicas: dict[str, list[str]] = {}
    for name, given in processes.items():
        process = table(given)
        where = f"processes.{name}"
        own_files = dot_env if process.get("is_dotenv_disabled") is not True else []
        env_files = [*own_files, *files, *texts(process.get("env_file"))]
        raw = shared | _environment(process.get("environment"))
        names = _names(str(name), process.get("replicas"))
        for number, one in enumerate(names):
            told = {"PC_PROC_NAME": str(name), "PC_REPLICA_NUM": str(number)}
            known = variables | _variables(process.get("vars")) | {"PC_REPLICA_NUM": str(number)}
            said = Texts(found, where, known, {**raw, **told}, expands=expands)
            job = _job(found, where, process, document.get("shell"), said)
            if job is None:
                break
            env = {key: said.value("environment", value) for key, value in raw.items()}
            env |= {key: value for key, value in told.items() if len(names) > 1 or key in str(process)}
            found.jobs[one] = {**job, **({"env_file": env_files} if env_files else {}), **({"env": env} if env else {})}
            if process.get("description"):
                found.comments[one] = str(process["description"])
            replicas[str(name)] = names
        for key, why in _REASONS.items():
            if process.get(key):
                found.lose(f"{where}.{key}", why)
        found.lose_unknown(where, process, _PROCESS | _REASONS.keys())
    _order(found, processes, replicas)
    for name in table(document.get("env_cmds")):
        found.lose(f"env_cmds.{name}", "no command is run for it: set it in env_file")
    found.lose_unknown("", document, _PROJECT, "it is about process-compose itself, not about jobs")
    return found


def _names(name: str, count: Any) -> list[str]:
    return [f"{name}-{number}" for number in range(count)] if isinstance(count, int) and count > 1 else [name]


def _job(found: Imported, where: str, process: dict[str, Any], shell: Any, said: Texts) -> dict[str, Any] | None:
    job: dict[str, Any] = {}
    line, entrypoint = process.get("command"), process.get("entrypoint")
    if isinstance(entrypoint, list) and entrypoint:
        job["argv"] = [said.value("entrypoint", one) for one in texts(entrypoint)]
    elif isinstance(line, str) and line.strip():
        command = said.line("command", line).strip("\n")
        if isinstance(shell, dict) and shell.get("shell_command"):
            job["argv"] = [*texts(shell["shell_command"]), *texts(shell.get("shell_argument", "-c")), command]
        else:
            job["command"] = command
    else:
        found.lose(where, "it has no command")
        return None
    if process.get("working_dir"):
        job["cwd"] = said.value("working_dir", str(process["working_dir"]))
    job["pty"] = any(process.get(key) is True for key in ("is_tty", "is_interactive", "is_foreground"))
    job["autostart"] = process.get("disabled") is not True and process.get("is_foreground") is not True
    if isinstance(schedule := process.get("schedule"), dict):
        found.lose(f"{where}.schedule", "nothing is started by the clock")
        job["autostart"] = job["autostart"] and schedule.get("run_on_start") is True
    if process.get("namespace"):
        job["tags"] = [str(process["namespace"])]
    if patterns := changes_of(found, where, process.get("watch"), str(job.get("cwd", ""))):
        job["restart_on_change"] = patterns
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
            condition = how if isinstance(how, str) else str(table(how).get("condition", "process_started"))
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
        line = str(process["ready_log_line"])
        return {"line": line if re.escape(line).replace("\\ ", " ") == line else f"/{line}/"}
    return ready_by_probe(found, f"{where}.readiness_probe", probe) if isinstance(probe, dict) else None


def _environment(given: Any) -> dict[str, str]:
    if isinstance(given, dict):
        return {str(name): plain(value) for name, value in given.items()}
    return {name: value for name, _, value in (one.partition("=") for one in texts(given))}


def _variables(given: Any) -> dict[str, str]:
    return {str(name): plain(value) for name, value in table(given).items()}
