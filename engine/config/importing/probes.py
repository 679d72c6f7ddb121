"""Probes of process-compose as ``ready``."""

import shlex
from typing import Any

from engine.config.importing.imported import Imported


def ready_by_probe(found: Imported, where: str, probe: dict[str, Any]) -> dict[str, Any] | None:
    """What ``ready`` says the same; None for a probe that looks at nothing."""
    ready: dict[str, Any] = {}
    if isinstance(http := probe.get("http_get"), dict):
        port = http.get("port", http.get("num_port"))
        at = f":{port}" if port else ""
        path = "/" + str(http.get("path", "/")).lstrip("/")
        ready["http"] = f"{http.get('scheme') or 'http'}://{http.get('host') or '127.0.0.1'}{at}{path}"
        if http.get("headers"):
            found.lose(f"{where}.http_get.headers", "none are sent")
        if http.get("status_code") not in (None, 200):
            found.lose(f"{where}.http_get.status_code", "any status below 400 counts")
    elif isinstance(run := probe.get("exec"), dict) and run.get("command"):
        folder = run.get("working_dir")
        ready["command"] = f"cd {shlex.quote(str(folder))} && {run['command']}" if folder else str(run["command"])
    else:
        found.lose(where, "it has neither http_get nor exec")
        return None
    ready["every"] = found.number(f"{where}.period_seconds", probe.get("period_seconds") or None, 10)
    if probe.get("initial_delay_seconds"):
        found.lose(f"{where}.initial_delay_seconds", "the first look is at once")
    for key, usual in (("success_threshold", 1), ("failure_threshold", 3), ("timeout_seconds", 1)):
        if probe.get(key) not in (None, usual):
            found.lose(f"{where}.{key}", "one look that succeeds is enough, one that fails means nothing")
    return ready
