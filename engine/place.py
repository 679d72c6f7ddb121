"""Where a job runs over there: which process it is, so that it can be found again."""

import msgspec


class Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The process that started a job on a host and waits for it there."""

    node: str
    """What the machine calls itself."""
    pid: int
    start: str
    """When that process began, as its kernel tells it: a pid alone may be another's by now."""
    slurm_job: str = ""
    slurm_step: str = ""

    @property
    def words(self) -> str:
        """For people."""
        return f"process {self.pid} on {self.node}"
