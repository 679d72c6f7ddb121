"""The scripts of a ``package.json``."""

import json
import shlex
from pathlib import Path

from engine.config.importing.imported import Imported, NotUnderstood, words
from engine.config.importing.reading import read_text

_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
_BY_ITSELF = words(
    """
    preinstall install postinstall prepublish preprepare prepare postprepare prepublishOnly prepack
    postpack publish postpublish preversion version postversion dependencies
    """
)
"""Scripts that the package manager runs at its own times."""


def read_package_json(file: Path) -> Imported:
    """Each script is a job that is run by the folder's package manager, as it was meant: with ``node_modules/.bin`` in
    the path, and what comes before and after it. None is started with jobdeck."""
    try:
        package = json.loads(read_text(file))
    except json.JSONDecodeError as error:
        raise NotUnderstood(f"{file.name} is no JSON: {error}") from error
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict) or not scripts:
        raise NotUnderstood(f"{file.name} has no scripts")
    found = Imported(file.name)
    manager = _manager(file.parent, package)
    for name, line in scripts.items():
        if not isinstance(line, str):
            found.lose(f"scripts.{name}", "it isn't a text")
        elif name in _BY_ITSELF:
            found.lose(f"scripts.{name}", f"{manager} runs it by itself, at its own times")
        elif any(name == f"{when}{other}" for when in ("pre", "post") for other in scripts):
            other = name.removeprefix("pre") if name.startswith("pre") else name.removeprefix("post")
            runs = manager in ("npm", "bun")
            found.lose(
                f"scripts.{name}",
                f"no job of its own: {manager} runs it with {other!r}" if runs
                else f"no job of its own: with {other!r}, if {manager} is told to",
            )  # fmt: skip
        else:
            found.jobs[name] = {"command": f"{manager} run {shlex.quote(name)}", "pty": True}
    return found


def _manager(folder: Path, package: dict[str, object]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in ("npm", "pnpm", "yarn", "bun"):
        return named
    return next((manager for lock, manager in _LOCKS.items() if (folder / lock).exists()), "npm")
