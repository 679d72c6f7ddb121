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


def parse_place(fields: list[str]) -> Place | None:
    """From what the far side says of itself (`engine.hosts.scripts.run_script`); None if that is nonsense."""
    if len(fields) != 5 or not fields[0].isdigit() or int(fields[0]) <= 1:
        return None
    pid, start, node, job, step = fields
    return Place(node=node[:255], pid=int(pid), start=start, slurm_job=job, slurm_step=step)
