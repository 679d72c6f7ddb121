"""Values and tables as TOML."""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def toml_key(key: str) -> str:
    """A key, quoted where it must be."""
    return key if _BARE.match(key) else toml_value(key)


def toml_value(value: Any) -> str:
    """A text, number, truth value, list or table on one line; text of several lines in quotes of their own."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        if "\n" in value and "'''" not in value and value.replace("\n", "").isprintable():
            return f"'''\n{value}'''"
        # JSON's escapes are TOML's, but for the slash that nobody writes, and DEL that TOML wants escaped.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(key)} = {toml_value(one)}" for key, one in value.items()) + " }"
    return "[" + ", ".join(toml_value(one) for one in value) + "]"


def toml_table(path: tuple[str, ...], values: Mapping[str, Any]) -> str:
    """A table with its head."""
    lines = [f"[{'.'.join(map(toml_key, path))}]"]
    lines += [f"{toml_key(key)} = {toml_value(value)}" for key, value in values.items()]
    return "\n".join(lines) + "\n"
