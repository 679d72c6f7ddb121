"""What a job can be waited for: its exit, a success, a line that matches (spec 2.7)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.registry.job import Job
from engine.registry.lookout import Lookout
from engine.registry.registry import Registry
from engine.registry.tails import tail
from engine.results import exit_label
from engine.waiting import Release

if TYPE_CHECKING:
    from engine.watches.search import Match

_TAIL_CHARS = 2_000
_LINE_CHARS = 2_000


class SessionWatch:
    """Watches one job; tells the `Release` once, on the loop."""

    def __init__(
        self,
        registry: Registry,
        job: Job,
        on: str,
        pattern: str,
        since: int | None,
        told: Callable[[Release], object],
    ) -> None:
        """See `Lookout` for ``pattern`` and ``since``, which count where ``on`` is ``match`` or ``any``.

        Raises:
            SpecError: The pattern can't be searched for.
        """
        self._job = job
        self._on = on
        self._told = told
        # The lookout first: should the line be the last of a job that has ended already, it was there before the end.
        self._lookout = Lookout(registry, job, pattern, self._hit, since) if on in ("match", "any") else None
        self._task = registry.loop.create_task(self._await_end())
        registry.background(self._task)

    def close(self) -> None:
        """Watch no longer. Safe to call twice."""
        self._task.cancel()
        if self._lookout is not None:
            self._lookout.cancel()

    def _hit(self, match: "Match") -> None:
        line = self._job.watching.redacted(match).strip()
        self._told(Release(outcome="match", happened=True, text=line[:_LINE_CHARS]))

    async def _await_end(self) -> None:
        await self._job.ended.wait()
        self._told(release_at_end(self._job, self._on))


def release_at_end(job: Job, on: str) -> Release:
    """What the end of a job means to one who waited for ``on``; what was waited for in its output didn't come."""
    label = exit_label(job.exit_code, job.completion_reason, through_shell=job.through_shell)
    happened = on in ("exit", "any") or (on == "success" and job.exit_code == 0)
    if happened:
        return Release(outcome="exit", happened=True, text=label, exit_code=job.exit_code)
    missing = "a success" if on == "success" else "a match"
    return Release(
        outcome="ended",
        happened=False,
        text=f"it ended without {missing}: {label}",
        exit_code=job.exit_code,
        output=tail(job, _TAIL_CHARS)[0],
    )
