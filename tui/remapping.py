"""``[keys]`` of the configuration: which keys ask for which action, in place of the usual ones."""

from collections.abc import Mapping
from typing import NamedTuple

from textual.keys import Keys, _character_to_key

from engine.config import Configuration
from engine.config.problem import Problem, nearest
from tui import keymap

_TOGETHER = (("anywhere", "job", "stack"), ("anywhere", "job", "pane"), ("anywhere", "job", "barriers"),
             ("anywhere", "job", "hits"), ("search",))  # fmt: skip
"""Places whose keys work at the same time."""
_KNOWN = frozenset(key.value for key in Keys)
_MODIFIERS = frozenset({"ctrl", "alt", "shift", "super", "meta", "hyper"})
FIXED = frozenset({"type.leave"})
"""What must always work."""
_TAKEN = frozenset({"ctrl+c"})


class Remapped(NamedTuple):
    """What is asked for, as far as it can be."""

    keys: dict[str, tuple[str, ...]]
    """Textual's names of keys by the action's id."""
    problems: tuple[Problem, ...]


def remapped(configuration: Configuration) -> Remapped:
    """The keys of ``[keys]``; one that can't be is told with its line and left as it was."""
    keys: dict[str, tuple[str, ...]] = {}
    problems: list[Problem] = []

    def wrong(name: str, text: str) -> None:
        origin = configuration.origin("keys", name)
        where = (origin.file, origin.line) if origin is not None else ("[keys]", 0)
        problems.append(Problem(*where, text, ("keys", name)))

    asked: dict[str, str] = {}
    for name, value in configuration.keys.items():
        given = (value,) if isinstance(value, str) else value
        names = tuple(key_of(one) for one in given)
        found = _ids(name)
        if len(found) != 1:
            some = f": there are {', '.join(found)}" if found else nearest(name, _names())
            wrong(name, f"{name} is no action of the console{some}" if not found else f"{name} is not one action{some}")
        elif found[0] in FIXED:
            wrong(name, f"{found[0]} keeps its keys: it must always work")
        elif not given or not all(names):
            bad = next((one for one, key in zip(given, names, strict=True) if not key), "")
            wrong(name, f"{name} = {bad!r} is no key: 'ctrl+k', 'f5', '?', 'K' are" if bad else f"{name} needs a key")
        else:
            keys[found[0]], asked[found[0]] = tuple(dict.fromkeys(names)), name
    while (clash := _clash(keys)) is not None:
        key, mine, other = clash
        said = f"{key!r} is {other}'s already, so {mine} keeps its usual keys; give {other} another"
        wrong(asked[mine], said if other else f"{key!r} copies what is selected, so {mine} keeps its usual keys")
        del keys[mine]
    return Remapped(keys, tuple(problems))


def key_of(said: str) -> str:
    """A key as Textual names it, from how people write it; empty for what is none."""
    *modifiers, last = said.split("+") if len(said) > 1 else [said]
    modifiers = [one.strip().lower() for one in modifiers]
    if not all(one in _MODIFIERS for one in modifiers):
        return ""
    if len(last) == 1:
        name = last if last.isalnum() else _character_to_key(last)
    else:
        name = last.strip().lower()
        if "+".join([*modifiers, name]) not in _KNOWN and name not in _KNOWN and not name.isidentifier():
            return ""
        if name not in _KNOWN and name not in {_character_to_key(chr(code)) for code in range(33, 127)}:
            return ""
    if modifiers and len(name) == 1:
        name = name.lower()
    return "+".join([*modifiers, name])


def _names() -> list[str]:
    """All that an action may be called."""
    return [*keymap.BY_ID, *dict.fromkeys(one.partition(".")[2] for one in keymap.BY_ID)]


def _ids(name: str) -> list[str]:
    """The actions that are meant: by the whole id, else by its last word."""
    if name in keymap.BY_ID:
        return [name]
    return [one for one in keymap.BY_ID if one.partition(".")[2] == name]


def _clash(keys: Mapping[str, tuple[str, ...]]) -> tuple[str, str, str] | None:
    """A key that two actions have in one place, a remapped one, and the other one; none is left when it is None."""
    for places in _TOGETHER:
        had: dict[str, str] = {}
        for entry in keymap.DEFAULTS:
            for key in keys.get(entry.id, entry.keys) if entry.where in places else ():
                if key in _TAKEN and entry.id in keys:
                    return key, entry.id, ""
                other = had.setdefault(key, entry.id)
                if other != entry.id and (entry.id in keys or other in keys):
                    return (key, entry.id, other) if entry.id in keys else (key, other, entry.id)
    return None
