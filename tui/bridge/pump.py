"""The frame pump: feeds the visible panes, a few milliseconds a frame."""

import asyncio
import time
from collections.abc import Callable, Sequence

from tui.bridge.stream import PaneStream

FRAME_SECONDS = 1 / 30
"""Between the starts of two frames; 30 a second are enough for the eye."""
SHARE = 0.25
"""Of the time at most, that the screen's thread may be busy for the next frame to begin: what it takes, the threads
that read the jobs do without. Only a flood gets there; the first change after a calm is painted at once."""
BEHIND_SHARE = 0.125
"""The same while a job writes more than is kept from one frame to the next: nobody can read that, and the job waits."""
LONGEST_PAUSE = 0.1
"""Seconds between two frames at most, whatever they cost."""
FRAME_BUDGET = 0.008
"""Seconds of emulation a frame, for all panes together."""
SLICE_SECONDS = 0.002
"""What one slice may take: the grain in which panes get their turn and the budget is kept."""
SMALLEST_SLICE, LARGEST_SLICE = 256, 262_144


class Pump:
    """Runs a frame when something waits, and none when nothing does."""

    def __init__(self, visible: Callable[[], Sequence[PaneStream]]) -> None:
        self._visible = visible
        """The panes that can be seen, the focused one first."""
        self._slice = 2048
        self._scheduled: asyncio.TimerHandle | None = None
        self._last_frame = 0.0
        self._busy_before = 0.0
        """Seconds of CPU that this thread had had when the last frame began."""

    def wake(self) -> None:
        """Something waits in a pane: take it in on the next frame. On the loop's thread."""
        if self._scheduled is None:
            loop = asyncio.get_running_loop()
            wait = max(0.0, self._last_frame + FRAME_SECONDS - loop.time())
            self._scheduled = loop.call_later(wait, self._frame)

    def stop(self) -> None:
        """Feed nothing more."""
        if self._scheduled is not None:
            self._scheduled.cancel()
            self._scheduled = None

    def _frame(self) -> None:
        loop = asyncio.get_running_loop()
        busy = time.thread_time()
        # Painting comes after a frame, by Textual's own clock: only now it is known what the last one cost in all.
        share = BEHIND_SHARE if any(pane.behind for pane in self._visible()) else SHARE
        due = self._last_frame + min((busy - self._busy_before) / share, LONGEST_PAUSE)
        if loop.time() < due:
            self._scheduled = loop.call_at(due, self._frame)
            return
        self._scheduled = None
        self._last_frame, self._busy_before = loop.time(), busy
        panes = [pane for pane in self._visible() if pane.waiting]
        deadline = time.perf_counter() + FRAME_BUDGET
        fed: list[PaneStream] = []
        while panes and time.perf_counter() < deadline:
            for pane in tuple(panes):
                self._feed(pane)
                if pane not in fed:
                    fed.append(pane)
                if not pane.waiting:
                    panes.remove(pane)
                if time.perf_counter() >= deadline:
                    break
        for pane in fed:
            pane.show()
        if any(pane.waiting for pane in self._visible()):
            self.wake()

    def _feed(self, pane: PaneStream) -> None:
        begun = time.perf_counter()
        taken = pane.step(self._slice)
        spent = time.perf_counter() - begun
        if taken == self._slice:
            wanted = self._slice * SLICE_SECONDS / max(spent, 1e-6)
            # Follow the emulator's speed, but no faster than by half or double a slice.
            wanted = min(max(wanted, self._slice / 2), self._slice * 2)
            self._slice = int(min(max(wanted, SMALLEST_SLICE), LARGEST_SLICE))
