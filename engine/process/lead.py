"""What is started for a command: the command itself, or what brings it into its scope first, and how that is called."""

from typing import NamedTuple


def scope_unit(session_id: str) -> str:
    """The name of a job's scope in systemd, and of its cgroup."""
    return f"jobdeck-job-{session_id}.scope"


def slice_around(unit: str) -> str:
    """The name of the slice around a job's scope."""
    return unit.removesuffix(".scope") + ".slice"


class Lead(NamedTuple):
    """A command's words, its environment, and what stands in front of its launcher: its way into a scope, if any."""

    argv: tuple[str, ...]
    env: dict[str, str]
    way_in: tuple[str, ...]
