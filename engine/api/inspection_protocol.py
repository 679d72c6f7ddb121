"""The part of `EngineApi` that looks at jobs' processes (spec 5.1)."""

from typing import Protocol

from engine.api.call import Call
from engine.results import Inspected, Refused, Usage


class InspectionApi(Protocol):
    """Each call walks the machine's processes once, off the engine's loop; calls at the same time share a walk."""

    def usage(self) -> Call[Usage]:
        """What the caller's running jobs use. Asked again and again by who shows it: nothing is measured otherwise."""

    def inspect(self, session_id: str) -> Call[Inspected | Refused]:
        """What is behind a job: how it was started, its tree with memory and ports, how its watches stand."""
