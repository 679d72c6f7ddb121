"""Which line of the stack is whose: the jobs that are shown, where they belong."""

from collections.abc import Sequence

from tui.arranging import Arrangement, Filter
from tui.store import Slot
from tui.widgets.stack_lines import BatchOf, StackLine, lay_out


class StackRows:
    """The lines as they were laid out last."""

    def __init__(self, batch_of: BatchOf) -> None:
        self._batch_of = batch_of
        self._filter = Filter()
        self.lines: list[StackLine] = []
        self.first: dict[str, int] = {}
        """The first line of each job that is shown, from the top."""
        self.hidden = 0
        """How many jobs the filter hides."""

    def lay_out(self, slots: Sequence[Slot], arranged: Arrangement, always: str | None, *, rail: bool) -> bool:
        """Have each job where it belongs.

        Args:
            slots: All there are, oldest first.
            arranged: Filter, sort and grouping.
            always: This slot is shown in any case.
            rail: One line a job.

        Returns:
            Is any line another than before?
        """
        shown = self._filter.fitting(slots, arranged.words)
        if arranged.words and always is not None and all(slot.id != always for slot in shown):
            fits = {slot.id for slot in shown}
            shown = [slot for slot in slots if slot.id in fits or slot.id == always]
        self.hidden = len(slots) - len(shown)
        lines = lay_out(shown, self._batch_of, arranged, rail=rail)
        if lines == self.lines:
            return False
        self.lines = lines
        self.first = {line.slot_id: row for row, line in enumerate(lines) if line.slot_id and not line.second}
        return True

    def height(self, slot_id: str) -> int:
        """How many lines a job has."""
        row = self.first.get(slot_id)
        return 0 if row is None else sum(line.slot_id == slot_id for line in self.lines[row : row + 2])
