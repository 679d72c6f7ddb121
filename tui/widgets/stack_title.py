"""The line over the stack."""

from collections.abc import Iterable, Sequence

from tui.show.states import Look, look
from tui.store import Slot
from tui.widgets.line import Line, Piece
from tui.widgets.stack_lines import RAIL_WIDTH


class StackTitle(Line):
    """How many run, how many failed."""

    def __init__(self) -> None:
        super().__init__(id="stack-title")
        self._words = ""

    def count(self, slots: Iterable[Slot]) -> None:
        """Count anew."""
        jobs = [slot.job for slot in slots]
        running = sum(not job.exited_at and job.has_run for job in jobs)
        failed = sum(look(job) is Look.FAILED for job in jobs)
        words = [f"{running} running"] if jobs else []
        if failed:
            words.append(f"{failed} failed")
        self._words = " · ".join(words)
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """A rail has no room for the words; the header has them too."""
        return [Piece(" JOBS  ", "bold $quiet"), Piece(self._words if width >= RAIL_WIDTH else "", "$quiet")], ()
