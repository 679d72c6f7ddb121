"""The part of `EngineApi` that looks at jobs' processes, and into all they have printed (spec 5.1, 5.2)."""

from typing import Protocol

from engine.api.call import Call
from engine.results import Found, Inspected, Refused, Screened, Usage


class InspectionApi(Protocol):
    """Each call does its work off the engine's loop; looks at the machine's processes at the same time are one."""

    def usage(self) -> Call[Usage]:
        """What the caller's running jobs use. Asked again and again by who shows it: nothing is measured otherwise."""

    def inspect(self, session_id: str) -> Call[Inspected | Refused]:
        """What is behind a job: how it was started, its tree with memory and ports, how its watches stand."""

    def screen(self, session_id: str) -> Call[Screened | Refused]:
        """A job's terminal as a person would see it now: for full-screen programs."""

    def search(
        self, text: str, *, regex: bool = False, ignore_case: bool = True, limit: int = 100
    ) -> Call[Found | Refused]:
        """Look for a text, or an expression of RE2, in what is kept of all the caller's jobs, line by line.

        The newest matching lines of each job are told, at most ``limit`` of each; all are counted.
        """
