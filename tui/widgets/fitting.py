"""Who sets the size of a job's terminal: of all who see it, the one that was focused last."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.timer import Timer

from engine.events import JobView
from tui.show.states import LIVE, look

if TYPE_CHECKING:
    from tui.widgets.pane import Pane

RESIZE_SECONDS = 0.05
"""How long the pane's size must stand before the job's terminal is given it."""


class Fitting:
    """For one pane. Once another viewer has given the terminal its size, this one asks again only when it is looked
    at anew."""

    def __init__(self, pane: "Pane", resize: Callable[[JobView, int, int], None]) -> None:
        self._pane = pane
        self._resize = resize
        self._timer: Timer | None = None
        self._asked: list[tuple[int, int]] = []
        self.ours = True
        """Is the size this pane's to set?"""

    def begin(self) -> None:
        """Another job stands in the pane."""
        self._asked.clear()
        self.ours = True

    def claim(self) -> None:
        """The pane has come into sight, or has the focus: the size is its to set."""
        if not self.ours:
            self.ours = True
            self._pane.tell()
        self.soon()

    def soon(self) -> None:
        """The view may have room for another size: give it to the job's terminal when it has stood a moment."""
        if not self.ours:
            return
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._pane.set_timer(RESIZE_SECONDS, self._fit)

    def ask(self, cols: int, rows: int) -> None:
        """Give the job's terminal this size."""
        self._asked.append((cols, rows))
        self._resize(self._pane.job, cols, rows)

    def told(self, before: JobView, job: JobView) -> None:
        """News of the job: if it has a size that wasn't asked for here, somebody else has set it."""
        size = (job.cols, job.rows)
        if size == (before.cols, before.rows):
            return
        if size in self._asked:
            del self._asked[: self._asked.index(size) + 1]
        else:
            self.ours = False

    def _fit(self) -> None:
        pane, job = self._pane, self._pane.job
        size = (pane.view.room.width, pane.view.room.height)
        fits = self.ours and job.pty and look(job) in LIVE and not job.detached
        fits = fits and pane.stream.attached and min(size) > 0
        if fits and size != (self._asked[-1] if self._asked else (job.cols, job.rows)):
            self.ask(*size)
