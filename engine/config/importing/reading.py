"""Foreign files as texts, and YAML as they have it (1.2: ``yes`` and ``on`` are texts)."""

from pathlib import Path
from typing import Any

from engine.config.importing.imported import NotUnderstood, Unreadable
from engine.config.regular import read_regular

DOT_ENV = ".env"
"""Read by programs of several kinds, if it is beside their file."""


class Computed(str):
    """An expression of JavaScript (``!js``) in place of a value."""


def read_text(file: Path) -> str:
    """What is in a file.

    Raises:
        Unreadable: It isn't UTF-8.
        OSError: It can't be read.
    """
    try:
        return read_regular(file).decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise Unreadable(f"{file.name} isn't UTF-8 from byte {error.start} on") from error


def read_yaml(file: Path) -> dict[str, Any]:
    """The table that a file of YAML or JSON is.

    Raises:
        NotUnderstood: It is none; `Unreadable` if it isn't even YAML.
        OSError: It can't be read.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.constructor import SafeConstructor
    from ruamel.yaml.error import YAMLError

    class Constructor(SafeConstructor):
        pass

    Constructor.add_constructor("!js", lambda _loader, node: Computed(str(node.value)))
    yaml = YAML(typ="safe", pure=True)
    yaml.Constructor = Constructor
    try:
        document = yaml.load(read_text(file))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark is not None else ""
        why = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise Unreadable(f"{file.name}{line} is no YAML: {why}") from error
    if not isinstance(document, dict):
        raise NotUnderstood(f"{file.name} holds no table of jobs")
    return document


def table(value: Any) -> dict[str, Any]:
    """A table; an empty one for what is none."""
    return value if isinstance(value, dict) else {}


def texts(value: Any) -> list[str]:
    """One text, or a list of them."""
    return [str(one) for one in value] if isinstance(value, list) else [] if value is None else [str(value)]


def plain(value: Any) -> str:
    """A value of an environment as the text that it is there."""
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
