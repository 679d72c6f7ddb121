"""YAML as foreign files have it (1.2: ``yes`` and ``on`` are texts)."""

from pathlib import Path
from typing import Any

from engine.config.importing.imported import NotUnderstood


def read_yaml(file: Path) -> dict[str, Any]:
    """The table that a file of YAML or JSON is.

    Raises:
        NotUnderstood: It is none.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        document = YAML(typ="safe", pure=True).load(file.read_text("utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        why = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise NotUnderstood(f"{file.name}{line} is no YAML: {why}") from error
    if not isinstance(document, dict):
        raise NotUnderstood(f"{file.name} holds no table of jobs")
    return document


def texts(value: Any) -> list[str]:
    """One text, or a list of them."""
    return [str(one) for one in value] if isinstance(value, list) else [] if value is None else [str(value)]


def plain(value: Any) -> str:
    """A value of an environment as the text that it is there."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
