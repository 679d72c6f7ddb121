"""The configuration as it holds, with where each value came from: what ``jobdeck config`` prints."""

from pathlib import Path
from typing import Any

import msgspec

from engine.config.configuration import Configuration, Origin
from engine.config.decoding import TABLES
from engine.config.writing import toml_key, toml_value

_COMMENT_COLUMN = 44


def as_data(configuration: Configuration) -> dict[str, Any]:
    """All of it, each value with its origin: ``"default"``, or file and line."""
    settings = {
        name: _told(configuration, ("settings", name), getattr(configuration.settings, name))
        for name in configuration.settings.__struct_fields__
    }
    tables = {
        table: {
            name: {
                key: _told(configuration, (table, name, key), value)
                for key, value in msgspec.to_builtins(entry).items()
            }
            for name, entry in getattr(configuration, table).items()
        }
        for table in TABLES
    }
    keys = {name: _told(configuration, ("keys", name), value) for name, value in configuration.keys.items()}
    return {
        "files": [{"file": str(file), "read": file.exists()} for file in configuration.files],
        "settings": settings,
        **tables,
        "keys": keys,
        "problems": [msgspec.to_builtins(problem) for problem in configuration.problems],
    }


def as_toml(configuration: Configuration, *, home: str = "") -> str:
    """All of it as a file that says the same, each value with its origin behind it; ``home`` is written as ``~``."""
    lines: list[str] = []

    def shown(file: str) -> str:
        if Path(file).parent == configuration.files[-1].parent:
            return Path(file).name
        return f"~{file.removeprefix(home)}" if home and file.startswith(f"{home}/") else file

    def told(origin: Origin | None) -> str:
        return f"# {shown(origin.file)}:{origin.line}" if origin is not None else "# default"

    def add(path: tuple[str, ...], value: Any) -> None:
        said = f"{toml_key(path[-1])} = {toml_value(value)}"
        lines.append(f"{said:<{_COMMENT_COLUMN}} {told(configuration.origins.get(path))}")

    for file in configuration.files:
        lines.append(f"# {shown(str(file))}" + ("" if file.exists() else " (not there)"))
    lines += ["", "[settings]"]
    for name in configuration.settings.__struct_fields__:
        add(("settings", name), getattr(configuration.settings, name))
    for table in TABLES:
        for name, entry in getattr(configuration, table).items():
            lines += ["", f"[{table}.{toml_key(name)}]"]
            for key, value in msgspec.to_builtins(entry).items():
                if (table, name, key) in configuration.origins:
                    add((table, name, key), value)
    if configuration.keys:
        lines += ["", "[keys]"]
        for name, value in configuration.keys.items():
            add(("keys", name), value)
    return "\n".join(lines) + "\n"


def _told(configuration: Configuration, path: tuple[str, ...], value: Any) -> dict[str, Any]:
    origin = configuration.origins.get(path)
    source: Any = {"file": origin.file, "line": origin.line} if origin is not None else "default"
    return {"value": value, "from": source}
