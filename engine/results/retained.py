"""What is kept of finished jobs, and what a search in the output of jobs finds."""

import msgspec

from engine.results.ends import exit_label
from engine.results.result import Result


class ResultRow(Result, frozen=True, kw_only=True):
    """One retained result of a finished job, as ``results`` lists it."""

    session_id: str
    name: str
    command: str
    """Redacted."""
    owner_task_id: str
    """The conversation that started it; empty for the operator."""
    started_at: float
    exited_at: float
    exit_code: int | None
    completion_reason: str
    termination_source: str
    through_shell: bool
    total_output_chars: int
    on_shelf: bool
    """Is it among the jobs of this engine, so that it can be opened at once?"""

    @property
    def label(self) -> str:
        """The end in words for people: ``exit 0``, ``SIGSEGV``, ``lost`` …"""
        return exit_label(self.exit_code, self.completion_reason, through_shell=self.through_shell)


class ResultsListed(Result, frozen=True, kw_only=True):
    """The result of ``results``: what is retained of finished jobs, the newest end first."""

    results: tuple[ResultRow, ...]


class Recalled(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``recall``: the job is on the shelf, with its output; it was told as a `JobChanged`."""

    status: str
    session_id: str


class FoundLine(msgspec.Struct, frozen=True, kw_only=True):
    """One line that ``search`` found."""

    session_id: str
    line: int
    """Its number in the whole output, from 0."""
    position: int
    """Where it starts in the output."""
    text: str
    """Without sequences, secrets masked; of a long line the part around the match."""


class Found(Result, frozen=True, kw_only=True, omit_defaults=True):
    """The result of ``search``."""

    status: str
    lines: tuple[FoundLine, ...]
    """Job by job, oldest first; of each job the newest."""
    total: int
    """How many lines match in all."""
    searched_chars: int
