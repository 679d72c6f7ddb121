"""One file of configuration, decoded strictly: what is wrong is told with its line, what is right counts."""

import math
import re
import typing
from pathlib import Path
from typing import Any

import msgspec

from engine.config.configuration import KeyPath, Origin
from engine.config.entries import AgentEntry, HostEntry, JobEntry, ThemeEntry
from engine.config.positions import key_lines, line_of
from engine.config.problem import Problem, nearest
from engine.config.regular import read_regular
from engine.config.settings import Settings

TABLES: dict[str, type[msgspec.Struct]] = {
    "jobs": JobEntry,
    "agents": AgentEntry,
    "hosts": HostEntry,
    "themes": ThemeEntry,
}
"""Tables of tables by name, and what each of them holds."""
TOP = ("settings", "keys", *TABLES)
_VITAL = frozenset({"command", "argv", "cwd", "env", "env_file", "after", "ready", "host", "via", "kill"})
_SAID = {"int": "a whole number", "float": "a number", "str": "a text", "bool": "true or false", "array": "a list",
         "object": "a table", "null": "nothing"}  # fmt: skip
_EXPECTED = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")
_INVALID = re.compile(r"Invalid enum value '(.*)'")


class Layer(msgspec.Struct, frozen=True):
    """What one file says."""

    values: dict[KeyPath, Any] = {}
    """The values that are right, each with the type of its field, by their path."""
    origins: dict[KeyPath, Origin] = {}
    problems: tuple[Problem, ...] = ()
    spoiled: frozenset[KeyPath] = frozenset()
    """Entries of which a value is wrong without which they would do something else than was meant."""
    broken: bool = False
    """It is no TOML or can't be read: nothing of it counts."""


def read_layer(file: Path) -> Layer | None:
    """What a file says; None when there is none."""
    try:
        text = read_regular(file).decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        return Layer(problems=(Problem(str(file), 0, f"it can't be read: {error.strerror or error}"),), broken=True)
    except UnicodeDecodeError as error:
        why = f"it isn't UTF-8 from byte {error.start} on"
        return Layer(problems=(Problem(str(file), 0, why),), broken=True)
    return decode_layer(text, str(file))


def decode_layer(text: str, file: str) -> Layer:
    """What a text of TOML says."""
    import tomllib

    text = text.replace("\r\n", "\n")
    try:
        document = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of thousands of digits is a mere ValueError
        where = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        line = int(where[1]) if where else text.count("\n") + 1
        why = re.sub(r" \(at [^)]*\)$", "", str(error))
        return Layer(problems=(Problem(file, line, f"this is no TOML: {why}"),), broken=True)
    return _Decoder(file, key_lines(text)).decode(document)


class _Decoder:
    def __init__(self, file: str, lines: dict[KeyPath, int]) -> None:
        self._file = file
        self._lines = lines
        self._values: dict[KeyPath, Any] = {}
        self._origins: dict[KeyPath, Origin] = {}
        self._problems: list[Problem] = []
        self._spoiled: set[KeyPath] = set()

    def decode(self, document: dict[str, Any]) -> Layer:
        for name, table in document.items():
            if name not in TOP:
                self._wrong((name,), f"there is no table or key {name!r} here{nearest(name, TOP)}")
            elif not isinstance(table, dict):
                self._wrong((name,), f"{name} is a table: [{name}]" + (f" or [{name}.NAME]" if name in TABLES else ""))
            elif name == "settings":
                self._fields(("settings",), table, Settings)
            elif name == "keys":
                for key, value in table.items():
                    self._value(("keys", key), value, str | tuple[str, ...])
            else:
                self._entries(name, table)
        return Layer(self._values, self._origins, tuple(self._problems), frozenset(self._spoiled))

    def _entries(self, name: str, table: dict[str, Any]) -> None:
        for one, entry in table.items():
            if not isinstance(entry, dict):
                self._wrong((name, one), f"{name}.{one} is a table of its own: [{name}.{one}]")
                continue
            self._origins[(name, one)] = self._origin((name, one))
            self._fields((name, one), entry, TABLES[name])

    def _fields(self, path: KeyPath, table: dict[str, Any], struct: type[msgspec.Struct]) -> None:
        types = typing.get_type_hints(struct)
        known = struct.__struct_fields__
        for key, value in table.items():
            if key not in known:
                self._wrong((*path, key), f"[{'.'.join(path)}] has no key {key!r}{nearest(key, known)}")
            else:
                self._value((*path, key), value, types[key])

    def _value(self, path: KeyPath, value: Any, kind: Any) -> None:
        try:
            taken = msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            self._wrong(path, f"{path[-1]} = {_shown(value)}: {_said(error, kind)}")
            if len(path) == 3 and path[2] in _VITAL:
                self._spoiled.add(path[:2])
            return
        if isinstance(taken, int | float) and path[0] == "settings" and not 0 <= taken < math.inf:
            self._wrong(path, f"{path[-1]} = {_shown(value)}: it is 0 or more")
            return
        self._values[path] = taken
        self._origins[path] = self._origin(path)

    def _origin(self, path: KeyPath) -> Origin:
        return Origin(self._file, line_of(self._lines, path))

    def _wrong(self, path: KeyPath, text: str) -> None:
        self._problems.append(Problem(self._file, line_of(self._lines, path), text, path))


def _shown(value: Any) -> str:
    text = "true" if value is True else "false" if value is False else repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _said(error: msgspec.ValidationError, kind: Any) -> str:
    """A decoder's error in the words of the file."""
    text = str(error)
    if (found := _EXPECTED.search(text)) is not None:
        wanted = [_SAID.get(one.strip(), one.strip()) for one in found[1].split("|") if one.strip() != "null"]
        inside = f" in it ({where[1]})" if (where := re.search(r"at `\$(.+)`", text)) else ""
        return f"{' or '.join(wanted)} is expected{inside}, not {_SAID.get(found[2], found[2])}"
    if (found := _INVALID.search(text)) is not None:
        words = [one for one in _choices(kind) if isinstance(one, str)]
        near = nearest(found[1], words)
        choices = ", ".join(repr(one) for one in words)
        return f"it is one of {choices}{near if near.startswith('; did') else ''}"
    if (found := re.search(r"unknown field `([^`]*)`", text)) is not None:
        fields = next((one.__struct_fields__ for one in _choices(kind) if not isinstance(one, str)), ())
        return f"there is no {found[1]!r} in it{nearest(found[1], fields)}"
    return re.sub(r" - at `\$.*`$", "", text)


def _choices(kind: Any) -> list[Any]:
    """The values of a ``Literal``, and the structs of a union."""
    if typing.get_origin(kind) is typing.Literal:
        return list(typing.get_args(kind))
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return [kind]
    return [one for part in typing.get_args(kind) for one in _choices(part)]
