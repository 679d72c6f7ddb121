"""An ``mprocs.yaml`` or ``mprocs.json``."""

from pathlib import Path
from typing import Any

from engine.config.importing.imported import Imported, NotUnderstood, words
from engine.config.importing.panes import pane_job
from engine.config.importing.reading import read_yaml, texts
from engine.config.importing.selecting import selected, selects

_TASK = words(
    """
    shell cmd cwd env add_path autostart autorestart stop log scrollback mouse_scroll_speed
    """
)


def read_mprocs(file: Path) -> Imported:
    """Each process is a job on a terminal, started with jobdeck unless it says otherwise."""
    document = read_yaml(file)
    procs = selected(document.get("procs"))
    if not isinstance(procs, dict) or not procs:
        raise NotUnderstood(f"{file.name} has no procs")
    found = Imported(file.name)
    for name, given in procs.items():
        if given is None:
            continue  # how a process of the user's own file is taken away
        task: dict[str, Any] = (
            given if isinstance(given, dict) else {"cmd" if isinstance(given, list) else "shell": given}
        )
        where = f"procs.{name}"
        if selects(document["procs"].get(name) if isinstance(document["procs"], dict) else None):
            found.lose(where, "of what differs by system, this one's is taken")
        job = pane_job(found, where, task, add_path=texts(task.get("add_path")))
        if job is None:
            continue
        job["autostart"] = task.get("autostart") is not False
        if job.get("restart"):
            found.lose(f"{where}.autorestart", "one that ends within a second isn't left alone: pauses grow instead")
        found.lose_unknown(where, task, _TASK, "mprocs knows no such key")
        found.jobs[str(name)] = job
    if isinstance(document.get("scrollback"), int):
        found.settings["scrollback_lines"] = document["scrollback"]
    found.lose_unknown("", document, frozenset({"procs", "scrollback"}), "it is about mprocs itself, not about jobs")
    return found
