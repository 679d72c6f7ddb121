"""The line over the stack."""

from collections.abc import Iterable, Sequence

from tui.arranging import Arrangement
from tui.show.states import Look, look
from tui.store import Slot
from tui.widgets.line import Line, Piece, width_of
from tui.widgets.stack import MARKED, StatusStack
from tui.widgets.stack_lines import RAIL_WIDTH

_APART = 2
"""Columns between the counts and how the stack is sorted, or they would read as one."""


class StackTitle(Line):
    """How many run, how many failed, how many are marked; how the stack is sorted and grouped."""

    def __init__(self) -> None:
        super().__init__(id="stack-title")
        self._words = ""
        self._marks = ""
        self._arrangement = Arrangement()

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

    def tell(self, stack: StatusStack) -> None:
        """How the stack is arranged, and what is marked in it."""
        marked, hidden = len(stack.marked), stack.marked_hidden
        self._marks = f"{MARKED} {marked:,} marked" if marked or hidden else ""
        if hidden:
            self._marks += f" · {hidden:,} hidden"
        self._arrangement = stack.arrangement
        self.renew()

    def pieces(self, width: int) -> tuple[Sequence[Piece], Sequence[Piece]]:
        """A rail has no room for the counts; the header has them too. A click on how it is sorted sorts otherwise."""
        roomy = width >= RAIL_WIDTH
        left = [Piece(" JOBS  " if roomy or not self._marks else " ", "bold $quiet")]
        left.append(Piece(self._marks, "bold $accent", "stack.escape") if self._marks else Piece("", ""))
        usual, now = Arrangement(), self._arrangement
        group = [Piece(f" {now.group} ·", "$quiet", "stack.group")] if now.group != usual.group else []
        by = "by " if roomy else ""
        right = [*group, Piece(f" {by}{now.sort} ", "$quiet", "stack.sort")]
        if roomy and not self._marks:
            room = width - _APART - width_of([*left, *right])
            words = self._words if len(self._words) <= room else self._words.partition(" · ")[0]
            left.append(Piece(words, "$quiet"))
        if not group and now.sort == usual.sort and (not roomy or width_of([*left, *right]) > width):
            right = []
        return left, right
