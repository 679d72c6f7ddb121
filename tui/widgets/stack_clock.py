"""When the times in the stack are painted anew."""

import time
from collections.abc import Callable, Collection

from textual.timer import Timer
from textual.widget import Widget

from tui.store import Slot

_NEW_SECONDS = 60.0
"""So long the age of an ended job is told in seconds, in steps of ten."""


class StackClock:
    """Ticks once a second while a job runs; else as seldom as the words for ages change; while there is none, never."""

    def __init__(self, widget: Widget, tick: Callable[[], object]) -> None:
        self._widget = widget
        self._tick = tick
        self._timer: Timer | None = None
        self.pause: float | None = None
        """Seconds between two ticks; None: it stands still."""

    def set(self, slots: Collection[Slot]) -> None:
        """These are the jobs now, or time has gone by. The widget is mounted."""
        pause = _pause(slots)
        if pause == self.pause:
            return
        self.pause = pause
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._widget.set_interval(pause, self._tick) if pause is not None else None


def _pause(slots: Collection[Slot]) -> float | None:
    if not slots:
        return None
    if any(slot.live or slot.job.waits for slot in slots):
        return 1.0
    newest = max(slot.job.exited_at or 0.0 for slot in slots)
    return 10.0 if time.time() - newest < _NEW_SECONDS else 60.0
