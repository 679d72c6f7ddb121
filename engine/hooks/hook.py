"""A hook as the configuration has it: which command holds for a job, where it runs, where it stands."""

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from engine.config import Configuration
from engine.registry.job import Job
from engine.registry.registry import Registry

Event: TypeAlias = Literal["on_exit", "on_hit"]
Command: TypeAlias = str | tuple[str, ...]
"""A shell line, or exact arguments; empty: nothing is run."""


class Hook(msgspec.Struct, frozen=True):
    """One command, for one kind of event."""

    event: Event
    command: Command
    folder: str
    """Where it runs: the folder of the file that it stands in."""
    place: str = ""
    """Where it stands, for people (``jobdeck.toml:12``)."""


def find_hook(registry: Registry, event: Event, job: Job) -> Hook | None:
    """What is to be run for this job; its own entry in the file goes before the setting, also where that says nothing.

    None: nothing.
    """
    configuration = registry.configuration
    name = registry.keepers.name_at(job.slot) if registry.keepers is not None else ""
    entry = configuration.jobs.get(name)
    own: Command | None = getattr(entry, event) if entry is not None else None
    if own is not None:
        return _made(configuration, event, own, ("jobs", name, event), of_the_job=True)
    return _made(configuration, event, getattr(registry.settings, event), ("settings", event), of_the_job=False)


def _made(
    configuration: Configuration, event: Event, command: Command, path: tuple[str, ...], *, of_the_job: bool
) -> Hook | None:
    if not (command.strip() if isinstance(command, str) else command):
        return None
    origin = configuration.origin(*path)
    file = Path(origin.file) if origin is not None else None
    place = f"{file.name}:{origin.line}" if file is not None and origin is not None else "the settings"
    if of_the_job and configuration.files:
        file = configuration.files[-1]  # from whose folder on the job's own folder is told, too
    return Hook(event, command, str(file.parent) if file is not None else "", place)
