"""The column that tells when each line of a pane came; blank where it came with the one above."""

import time
from typing import ClassVar

from rich.segment import Segment
from textual.strip import Strip

from tui.widgets.sized import Sized
from tui.widgets.terminal import TerminalView

WIDTH = 9


def arrived(at: float, now: float) -> str:
    """A wall-clock time in `WIDTH` columns: today's to the second, others with their day."""
    then, today = time.localtime(at), time.localtime(now)
    if then[:3] == today[:3]:
        return time.strftime(" %H:%M:%S", then)
    return time.strftime("%a %H:%M" if 0 <= now - at < 6 * 86_400 else "  %d %b", then)


class TimeColumn(Sized):
    """Hidden until it is asked for. Looks only at the lines in sight."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"times--time"}

    def __init__(self, view: TerminalView) -> None:
        super().__init__()
        self._view = view
        self._shown: list[str] = []

    def toggle(self) -> None:
        """Show it, or hide it."""
        self.display = not self.display
        self.renew()

    def renew(self) -> None:
        """The view may show other lines: paint the times if they aren't the same."""
        if not self.display:
            return
        shown = self._texts()
        if shown != self._shown:
            self._shown = shown
            self.refresh()

    def size_changed(self) -> None:
        """More rows, or fewer."""
        self.renew()

    def _texts(self) -> list[str]:
        emulator = self._view.emulator
        lines, lead, total = emulator.lines, self._view.lead, emulator.total
        newest, now = lines.newest, time.time()
        texts: list[str] = []
        above = ""
        for row in range(lead, lead + self.size.height):
            text = ""
            if emulator.first - total <= row < emulator.screen.lines and not (row >= 0 and emulator.screen.alternate):
                spot = lines.of_screen_row(row) if row >= 0 else lines.spot(total + row)
                at = emulator.arrivals.at(spot.line) if spot.cell == 0 and spot.line <= newest else None
                text = arrived(at, now) if at is not None else ""
            texts.append(text if text != above else "")
            above = text or above
        return texts

    def render_line(self, y: int) -> Strip:
        """One time."""
        text = self._shown[y] if y < len(self._shown) else ""
        style = self.rich_style + self.get_component_rich_style("times--time", partial=True)
        return Strip([Segment(f"{text:<{WIDTH}.{WIDTH}} ", style)])
