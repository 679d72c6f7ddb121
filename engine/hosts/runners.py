"""The programs by which commands get to other places, and how each is asked for a terminal, or for none.

``via`` is written once and serves jobs with a terminal and without: what it says of terminals is replaced. A program
that isn't known here is left as it is written.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from engine.hosts.host import Host

_SSH_TERMINAL = frozenset({"-t", "-tt", "-T"})
_EXEC_TERMINAL = frozenset(
    {"-t", "-i", "-it", "-ti", "-T", "--tty", "--tty=true", "--interactive", "--interactive=true", "--stdin"}
    | {"--stdin=true"}
)
_SRUN_TERMINAL = frozenset({"--pty", "-u", "--unbuffered"})
_SUBCOMMANDS = frozenset({"exec", "run"})


def _ssh(words: list[str], pty: bool) -> list[str]:
    return [words[0], "-tt" if pty else "-T", *(word for word in words[1:] if word not in _SSH_TERMINAL)]


def _exec(words: list[str], pty: bool) -> list[str]:
    """``docker exec``, ``kubectl exec`` and their likes: without ``-i`` they pass no input on."""
    at = next((at for at, word in enumerate(words) if word in _SUBCOMMANDS), None)
    if at is None:
        return words
    end = words.index("--") if "--" in words else len(words)
    kept = [word for word in words[at + 1 : end] if word not in _EXEC_TERMINAL]
    asked = ["-i", "-t"] if pty else ["-i"]
    if "compose" in words[:at]:
        asked = [] if pty else ["-T"]  # it gives a terminal unless told not to
    return [*words[: at + 1], *asked, *kept, *words[end:]]


def _srun(words: list[str], pty: bool) -> list[str]:
    """Without ``-u`` it hands out output by lines."""
    return [words[0], "--pty" if pty else "-u", *(word for word in words[1:] if word not in _SRUN_TERMINAL)]


_RUNNERS: dict[str, Callable[[list[str], bool], list[str]]] = {
    "ssh": _ssh,
    "srun": _srun,
    **dict.fromkeys(("docker", "podman", "nerdctl", "kubectl", "oc"), _exec),
}


class Leg(NamedTuple):
    """A part of ``via`` by one program; an unknown one has no name."""

    runner: str
    words: list[str]


def legs(host: Host) -> list[Leg]:
    """The programs of ``via``, in the order in which a command goes through them."""
    found = [Leg("", [])]
    for word in host.entry.via:
        name = Path(word).name
        if name in _RUNNERS:
            found.append(Leg(name, []))
        found[-1].words.append(word)
    return [leg for leg in found if leg.words]


def way(host: Host, *, pty: bool) -> list[str]:
    """What goes before a command that is to have a terminal, or none."""
    return [word for leg in legs(host) for word in (_RUNNERS[leg.runner](leg.words, pty) if leg.runner else leg.words)]


def shells_on_the_way(host: Host) -> int:
    """How many shells read the command: ``ssh`` hands a line to one, the others hand words on."""
    return host.entry.shells if host.entry.shells is not None else sum(leg.runner == "ssh" for leg in legs(host))


class Slurm(NamedTuple):
    """A host whose last leg is ``srun``."""

    before: Host | None
    """The way to where ``srun`` is; None: here."""
    makes_jobs: bool
    """Does each ``srun`` make a job of Slurm's, or only a step in one that is there?"""


def slurm_of(host: Host) -> Slurm | None:
    """What is there before ``srun``; None if the last leg is another."""
    parts = legs(host)
    if parts[-1].runner != "srun":
        return None
    via = tuple(word for leg in parts[:-1] for word in leg.words)
    before = Host(host.name, msgspec.structs.replace(host.entry, via=via)) if via else None
    inside = "SLURM_JOB_ID" in os.environ and before is None
    return Slurm(before, not inside and not any(word.startswith("--jobid") for word in parts[-1].words))
