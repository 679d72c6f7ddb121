"""How much memory a job may use in a scope of its own (spec 3.7)."""

import os
from typing import NamedTuple

from engine.config import Settings
from engine.process.cgroup import cgroup_of

_UNITS = ((1024**3, "GiB"), (1024**2, "MiB"))


class MemoryBound(NamedTuple):
    """Bytes, and what they come from."""

    size: int
    why: str
    raisable: bool
    """Does it come from the setting ``memory_max``?"""

    def __str__(self) -> str:
        unit, name = next((one for one in _UNITS if self.size >= one[0]), (1, "bytes"))
        return f"{self.size / unit:.4g} {name}"


def memory_bound(settings: Settings) -> MemoryBound:
    """The least of our own cgroup's limit, a share of the machine's memory and a figure; the setting only tightens it.

    Reads the disk of the kernel alone; microseconds.
    """
    ram = int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * settings.memory_ram_share)
    found = [
        MemoryBound(settings.memory_max_most, "the most that a job gets", raisable=False),
        MemoryBound(ram, f"{settings.memory_ram_share:.0%} of this machine's memory", raisable=False),
    ]
    limit = cgroup_of(os.getpid()).least_memory_max()
    if limit is not None:
        found.append(MemoryBound(limit, "the limit of jobdeck's own cgroup", raisable=False))
    if settings.memory_max:
        found.append(MemoryBound(settings.memory_max, "memory_max", raisable=True))
    return min(found, key=lambda bound: bound.size)
