"""``$select: os`` of mprocs: one value of several, by the system."""

import sys
from typing import Any

_SYSTEM = {"linux": "linux", "darwin": "macos", "win32": "windows"}.get(sys.platform, sys.platform)


def selected(value: Any) -> Any:
    """The value for this system, all through; one that has none is None."""
    if isinstance(value, dict):
        if value.get("$select") == "os":
            return selected(value.get(_SYSTEM, value.get("$else")))
        return {key: selected(one) for key, one in value.items()}
    if isinstance(value, list):
        return [selected(one) for one in value]
    return value


def selects(value: Any) -> bool:
    """Is there such a choice anywhere in it?"""
    if isinstance(value, dict):
        return "$select" in value or any(selects(one) for one in value.values())
    return isinstance(value, list) and any(selects(one) for one in value)
