"""A ``Procfile``, as foreman, honcho and overmind run it."""

import re
from pathlib import Path

from engine.config.importing.imported import Imported, NotUnderstood
from engine.config.importing.reading import DOT_ENV, read_text

_LINE = re.compile(r"([A-Za-z0-9_-]+):\s*(.+)\Z")
_FIRST_PORT, _PORT_STEP = 5000, 100


def read_procfile(file: Path) -> Imported:
    """Each line is a job, started with jobdeck, with ``.env`` and a ``PORT`` of its own as those programs give it."""
    found = Imported(file.name)
    dot_env = (file.parent / DOT_ENV).is_file()
    first = _port_of(file.parent / DOT_ENV) or _FIRST_PORT
    for number, line in enumerate(read_text(file).splitlines(), 1):
        said = line.strip()
        if not said or said.startswith("#"):
            continue
        match = _LINE.match(said)
        if match is None:
            found.lose(f"line {number}", f"it isn't 'name: command': {said}")
            continue
        job = {"command": match[2], "autostart": True}
        if dot_env:
            job["env_file"] = DOT_ENV
        job["env"] = {"PORT": first + _PORT_STEP * len(found.jobs)}
        found.jobs[match[1]] = job
    if not found.jobs:
        raise NotUnderstood(f"{file.name} has no line 'name: command'")
    found.lose("all", "when one job ends, those programs end the others too; here each ends for itself")
    return found


def _port_of(dot_env: Path) -> int:
    """The first port, where the environment file says it."""
    try:
        lines = read_text(dot_env).splitlines()
    except (OSError, NotUnderstood):
        return 0
    ports = [match[1] for line in lines if (match := re.match(r"\s*(?:export\s+)?PORT=[\"']?(\d+)[\"']?\s*$", line))]
    return int(ports[-1]) if ports else 0
