"""The line over the stack."""

from collections.abc import Iterable

from tui.store import Slot
from tui.widgets.line import Line, Piece


class StackTitle(Line):
    """How many run, how many failed."""

    def __init__(self) -> None:
        super().__init__(id="stack-title")

    def count(self, slots: Iterable[Slot]) -> None:
        """Count anew."""
        jobs = [slot.job for slot in slots]
        running = sum(not job.exited_at for job in jobs)
        failed = sum(job.failed for job in jobs)
        words = [f"{running} running"] if jobs else []
        if failed:
            words.append(f"{failed} failed")
        self.put([Piece(" JOBS  ", "bold $quiet"), Piece(" · ".join(words), "$quiet")])
