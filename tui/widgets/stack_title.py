"""The line over the stack."""

from collections.abc import Iterable

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
        running = sum(not job.exited_at for job in jobs)
        failed = sum(job.failed for job in jobs)
        words = [f"{running} running"] if jobs else []
        if failed:
            words.append(f"{failed} failed")
        self._words = " · ".join(words)
        self._show()

    def on_resize(self) -> None:
        """A rail has no room for the words; the header has them too."""
        self._show()

    def _show(self) -> None:
        words = self._words if self.size.width >= RAIL_WIDTH else ""
        self.put([Piece(" JOBS  ", "bold $quiet"), Piece(words, "$quiet")])
