"""What holds: the settings and tables of all files together, where each value came from, and what is wrong."""

from pathlib import Path

import msgspec

from engine.config.entries import AgentEntry, HostEntry, JobEntry, ThemeEntry
from engine.config.problem import Problem
from engine.config.settings import Settings

KeyPath = tuple[str, ...]


class Origin(msgspec.Struct, frozen=True):
    """Where a value stands."""

    file: str
    line: int


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One reading of the files. A change of a file makes another."""

    settings: Settings = Settings()
    jobs: dict[str, JobEntry] = {}
    agents: dict[str, AgentEntry] = {}
    hosts: dict[str, HostEntry] = {}
    keys: dict[str, str | tuple[str, ...]] = {}
    """Keys by the action's id; which there are, the console knows."""
    themes: dict[str, ThemeEntry] = {}
    origins: dict[KeyPath, Origin] = {}
    """Where each value that isn't a default came from, by its path: ``("jobs", "api", "command")``."""
    problems: tuple[Problem, ...] = ()
    files: tuple[Path, ...] = ()
    """The files that are looked for; the last counts most, and jobs' folders and files are told from its folder on.
    There may be none of them."""
    broken: tuple[Path, ...] = ()
    """Those of them that can't be read at all: nothing of them counts."""
    base: Settings = Settings()
    """The settings that no file changes."""

    def origin(self, *path: str) -> Origin | None:
        """Where a value, or else the table that it would be in, stands; None for a default."""
        while path and path not in self.origins:
            path = path[:-1]
        return self.origins.get(path)
