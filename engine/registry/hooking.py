"""Who runs commands of the configuration when something happens, as jobs' ends and watches see it."""

from typing import Protocol

from engine.events import WatchHit
from engine.registry.job import Job


class HookRunner(Protocol):
    """Told on the engine's loop; it must neither block nor raise for what a command does."""

    def ended(self, job: Job) -> None:
        """A job's end is recorded and told."""

    def hit(self, job: Job, hit: WatchHit) -> None:
        """A hit was told to its owner."""
