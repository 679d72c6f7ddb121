"""Shell patterns of files, with ``**`` for any folders between."""

import re
from pathlib import Path

_WILD = re.compile(r"[*?\[]")


def root_of(pattern: str, folder: Path) -> Path | None:
    """The folder from which on files may match: what stands before the first wildcard, or the nearest that is there.

    None where that is none of ``folder`` or below: nobody means to watch a whole disk.
    """
    parts: list[str] = []
    for part in pattern.split("/"):
        if _WILD.search(part):
            break
        parts.append(part)
    root = folder / "/".join(parts) if parts != [""] else Path("/")
    given = root
    while not root.exists() and root != root.parent:
        root = root.parent
    return root if root == given or root.is_relative_to(folder) else None


def compile_glob(pattern: str, folder: Path) -> "re.Pattern[str]":
    """What a whole path must look like. A pattern without wildcards that names a folder means all that is in it."""
    path = pattern if pattern.startswith("/") else f"{folder.as_posix().rstrip('/')}/{pattern}"
    path = re.sub(r"/(\./)+", "/", path).rstrip("/")
    said = ""
    at = 0
    while at < len(path):
        if path.startswith("**/", at):
            said, at = said + "(?:[^/]+/)*", at + 3
        elif path.startswith("**", at):
            said, at = said + ".*", at + 2
        elif path[at] == "*":
            said, at = said + "[^/]*", at + 1
        elif path[at] == "?":
            said, at = said + "[^/]", at + 1
        elif path[at] == "[" and (end := path.find("]", at + 2)) > 0:
            inside = path[at + 1 : end].replace("\\", "\\\\")
            said, at = said + f"[{'^' + inside[1:] if inside[0] in '!^' else inside}]", end + 1
        else:
            said, at = said + re.escape(path[at]), at + 1
    below = "" if _WILD.search(pattern) else "(?:/.*)?"
    return re.compile(f"{said}{below}\\Z", re.S)
