"""Taking over a job that an earlier engine left under its holder (spec 3.4)."""

from enum import StrEnum
from typing import NamedTuple

from engine.ownership.held import Held
from engine.registry.job import Job
from engine.registry.registry import Registry


class Outcome(StrEnum):
    """What became of an attempt to take over a held job."""

    ADOPTED = "adopted"
    """It is a job of ours, whole; if it has ended meanwhile, its end follows as any job's does."""
    TAKEN = "taken"
    """A living engine has it: its entry is that one's to change."""
    GONE = "gone"
    """No holder answers."""


class Adoption(NamedTuple):
    """How it went. ``exit_code`` and ``exited_at``: of one that is gone, where its holder has left them behind."""

    outcome: Outcome
    job: Job | None = None
    exit_code: int | None = None
    exited_at: float | None = None


async def readopt(registry: Registry, held: Held) -> Adoption:
    """Take over this job, unless another living engine has it. Announces it as started; never raises."""
    raise NotImplementedError


async def forget(registry: Registry, held: Held) -> None:
    """Its end is known and on the disk (a receipt): let its holder go and remove its folder. Never raises."""
    raise NotImplementedError


def find_held(registry: Registry) -> list[Held]:
    """The held jobs of this home by their folders, checkpoint or not. Blocks: not for the loop."""
    raise NotImplementedError
