"""``watch`` of process-compose as ``restart_on_change``."""

from typing import Any

from engine.config.importing.imported import Imported
from engine.config.importing.reading import table, texts


def changes_of(found: Imported, where: str, given: Any, folder: str) -> list[str]:
    """The patterns of what restarts it, from the file's folder on; ``folder``: the process's own."""
    if not isinstance(given, dict):
        return []
    where = f"{where}.watch"
    patterns: list[str] = []
    for entry in given["paths"] if isinstance(given.get("paths"), list) else ():
        one: dict[str, Any] = entry if isinstance(entry, dict) else {"path": entry}
        root = str(one.get("path") or ".").removeprefix("./").rstrip("/")
        if folder and not root.startswith("/"):
            root = f"{folder.rstrip('/')}/{root}" if root != "." else folder.rstrip("/")
        root = root if root else "."
        inside = [pattern if "/" in pattern else f"**/{pattern}" for pattern in texts(one.get("include"))]
        patterns += [f"{root}/{pattern}" for pattern in inside] or [f"{root}/**" if root == "." else root]
        if one.get("exclude"):
            found.lose(f"{where}.exclude", "nothing is left out but version control, caches and editors' own files")
    if table(given).get("cascade"):
        found.lose(f"{where}.cascade", "those that wait for it aren't restarted with it")
    for key in ("debounce", "max_entries", "disable_default_excludes"):
        if key in given:
            found.lose(f"{where}.{key}", "there is no such setting")
    return patterns
