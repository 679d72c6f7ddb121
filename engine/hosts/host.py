"""A place where jobs run, by what goes before a command to get it there."""

from collections.abc import Mapping
from typing import NamedTuple

from engine.config.entries import HostEntry
from engine.spec import SpecError


class Host(NamedTuple):
    """One entry of ``[hosts]``, with its name."""

    name: str
    entry: HostEntry


def find_host(hosts: Mapping[str, HostEntry], name: str) -> Host:
    """The host of that name.

    Raises:
        SpecError: There is none; the text names those that there are.
    """
    entry = hosts.get(name)
    if entry is None:
        known = f"there are {', '.join(sorted(hosts))}" if hosts else "none is configured"
        raise SpecError(f"there is no host {name!r}: {known}; give it a table [hosts.{name}] with via = [...]")
    return Host(name, entry)
