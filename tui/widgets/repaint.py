"""Has a full-screen program paint anew what a flood left approximate: its terminal's size changes, and back."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from textual.timer import Timer

from tui.show.states import LIVE, look

if TYPE_CHECKING:
    from tui.widgets.pane import Pane

NUDGE_SECONDS = 0.5
"""Without a frame for so long there is calm, and what could be made exact from the buffer has been."""
BACK_SECONDS = 0.2
"""How long the other size stands: a program that looks only once must not find nothing changed."""


class Repaint:
    """For one pane. A printed picture can't be painted anew; one on the alternate screen can, by its program."""

    def __init__(self, pane: "Pane", resize: Callable[[int, int], None]) -> None:
        self._pane = pane
        self._resize = resize
        self._timer: Timer | None = None
        self._asked = False

    def painted(self) -> None:
        """A frame has been painted: once there is calm, see whether it needs repainting. Once a flood."""
        if not self._pane.emulator.approximate:
            self._asked = False
        elif not self._asked:
            self._after(NUDGE_SECONDS, self._nudge)

    def _after(self, seconds: float, call: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._pane.set_timer(seconds, call)

    def _nudge(self) -> None:
        pane = self._pane
        cols, rows = pane.job.cols, pane.job.rows
        live = pane.job.pty and look(pane.job) in LIVE and pane.stream.attached
        if not (live and rows > 1 and pane.emulator.approximate and pane.alternate()):
            return
        if pane.stream.rebuilding or pane.being_read():
            self._after(NUDGE_SECONDS, self._nudge)
            return
        self._asked = True
        self._resize(cols, rows - 1)
        self._after(BACK_SECONDS, lambda: self._back(cols, rows))

    def _back(self, cols: int, rows: int) -> None:
        room = self._pane.view.room
        self._resize(room.width or cols, room.height or rows)
        self._after(NUDGE_SECONDS, self._done)

    def _done(self) -> None:
        if self._pane.stream.waiting:
            self._after(NUDGE_SECONDS, self._done)
            return
        self._pane.set_approximate(False)
        self._pane.show()
