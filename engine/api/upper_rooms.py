"""What stands on the registry: barriers and hooks in every engine, the rest loaded when it is first asked for."""

import asyncio
from typing import TYPE_CHECKING

from engine.barriers.barriers import Barriers
from engine.config import Configuration
from engine.hooks.hooks import Hooks
from engine.registry.registry import Registry

if TYPE_CHECKING:
    from engine.agents.agents import Agents
    from engine.goals.goals import Goals
    from engine.services.following import Following
    from engine.services.services import Services


class UpperRooms:
    """Lives on the engine's loop."""

    def __init__(self, registry: Registry, *, adopts_goals: bool, runs_jobs: bool) -> None:
        """``adopts_goals``, ``runs_jobs``: see `Engine`."""
        self._registry = registry
        self._adopts_goals = adopts_goals
        self._runs_jobs = runs_jobs
        self.barriers = Barriers(registry)
        registry.hooks = self._hooks = Hooks(registry)
        self._goals: Goals | None = None
        self._delegation: Agents | None = None
        self._services: Services | None = None
        self._following: Following | None = None

    @property
    def goals(self) -> "Goals":
        """The goals of this home."""
        if self._goals is None:
            from engine.goals.goals import Goals

            self._goals = Goals(self._registry, self.barriers, adopts=self._adopts_goals)
        return self._goals

    @property
    def delegation(self) -> "Agents":
        """Agents and batches."""
        if self._delegation is None:
            from engine.agents.agents import Agents

            self._delegation = Agents(self._registry)
        return self._delegation

    def services_for(self, configuration: Configuration) -> "Services | None":
        """Who runs the jobs of the configuration; loaded with the first that there are."""
        if self._services is None and self._runs_jobs and configuration.jobs:
            from engine.services.services import Services

            self._services = Services(self._registry)
        return self._services

    def open(self, *, recovers: bool) -> None:
        """Take over goals that nobody hosts, and what agents of dead engines left, where that is wanted."""
        if self._adopts_goals:
            self._registry.loop.call_soon(self.goals.open)
        if recovers and (self._registry.home / "delegations").is_dir():
            self._registry.background(self._registry.loop.create_task(self.delegation.recover()))

    def live_by_files(self, seeing: "asyncio.Task[None]", *, follows: bool) -> None:
        """Run the configuration's jobs, and take in its changes if it ``follows``.

        What dead engines left of the file's jobs is taken over (``seeing``) before any is started.
        """
        registry = self._registry
        services = self.services_for(registry.configuration)
        if services is not None:
            registry.background(registry.loop.create_task(services.open(seeing)))
        if follows and registry.configuration.files:
            from engine.services.following import Following

            self._following = Following(registry, self.services_for)

    def leave(self) -> None:
        """The engine is about to end: goals take no more turns."""
        if self._goals is not None:
            self._goals.leave()

    async def left(self) -> None:
        """All jobs have ended: wait for what follows from that."""
        if self._goals is not None:
            await self._goals.answered()
        await self._hooks.leave()

    def close(self) -> None:
        """Let go of everything, and after it of the registry."""
        self.barriers.close()
        for part in (self._goals, self._following, self._services, self._delegation):
            if part is not None:
                part.close()
        self._registry.close()
        if self._services is not None:
            self._services.closed()
