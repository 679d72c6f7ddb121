"""Which agents there are for who asks: those of its own folder's configuration before the engine's."""

from collections.abc import Mapping
from pathlib import Path

from engine.agents.agent import UnknownAgent, choose
from engine.config import Configuration
from engine.config.entries import AgentEntry
from engine.process.aside import aside
from engine.registry.registry import Registry


class KnownAgents:
    """Those of one folder over those of the engine."""

    def __init__(self, own: Mapping[str, AgentEntry], there: Configuration | None) -> None:
        self._own, self._there = own, there
        self.all: dict[str, AgentEntry] = {**own, **(there.agents if there is not None else {})}
        """By name."""

    def choose(self, wanted: str) -> tuple[str, AgentEntry]:
        """The agent of that name; where none is named the only one, of that folder if it has any.

        Raises:
            UnknownAgent: There is none, or more than one.
        """
        there = self._there
        if not wanted and there is not None and there.agents:
            return choose(there.agents, "")
        try:
            return choose(self.all, wanted)
        except UnknownAgent as error:
            wrong = [one for one in there.problems if not one.path or one.path[0] == "agents"] if there else []
            raise UnknownAgent(f"{error} ({wrong[0]})" if wrong else str(error)) from error


async def agents_of(registry: Registry, folder: str) -> KnownAgents:
    """Those for who asks from this folder; empty: the engine's own."""
    from engine.config.loading import NAME, read

    held = registry.configuration
    file = Path(folder) / NAME if folder.startswith("/") else None
    if file is None or file in held.files:
        return KnownAgents(held.agents, None)
    files = (*held.files[:-1], file)
    return KnownAgents(held.agents, await aside("jobdeck-config", lambda: read(files, held.base)))
