"""Which rows of a terminal are in sight: the newest while it follows, else those at a place in the text."""

from collections.abc import Callable

from engine.terminal import Spot
from tui.widgets.emulator import Emulator


class Viewport:
    """A window of some height over an emulator's rows. Where it stands by itself, it stands at a line, not a row."""

    def __init__(self, emulator: Emulator, height: Callable[[], int]) -> None:
        self.emulator = emulator
        self._height = height
        self.follow = True
        self.below = False
        """There is new output below what is seen."""
        self._top = 0
        self._anchor = Spot(0, 0)
        """What stands at the top, when it doesn't follow."""
        self._newest_seen = 0

    @property
    def height(self) -> int:
        """Rows in sight."""
        return self._height()

    @property
    def top(self) -> int:
        """The number of the row at the top."""
        return self.emulator.total + self.lead

    @property
    def lead(self) -> int:
        """The row at the top, counted from the screen's first: above it in the scrollback if negative.

        While the view follows and is no taller than the screen, no row has to be counted for it.
        """
        if self.follow:
            return self._lowest_lead
        return max(self._top, self.emulator.first) - self.emulator.total

    @property
    def _lowest_lead(self) -> int:
        emulator = self.emulator
        lines = emulator.screen.lines
        lead = (emulator.used_rows() if lines > self.height else lines) - self.height
        if lead >= 0:
            return lead
        return 0 if emulator.screen.alternate else max(lead, emulator.first - emulator.total)

    @property
    def place(self) -> tuple[int, int]:
        """Tells whether other rows are seen than before."""
        lead = self.lead
        return lead, self.emulator.total if lead < 0 else -1

    @property
    def lines_below(self) -> int:
        """How many lines have begun since what is seen was the newest; 0 where that can't be told."""
        if self.follow or self.emulator.screen.alternate:
            return 0
        return max(0, self.emulator.lines.newest - self._newest_seen)

    def move_to(self, top: int) -> None:
        """Show the content from this row on; at the end, follow."""
        lowest = self.emulator.total + self._lowest_lead
        followed = self.follow
        self._top = max(min(self.emulator.first, lowest), min(top, lowest))
        self.follow = self._top >= lowest
        self._stand(followed)

    def stay(self) -> bool:
        """Stop following: what is seen now stays where it is. True: it followed until now."""
        if not self.follow:
            return False
        self._top, self.follow = self.top, False
        self._stand(followed=True)
        return True

    def _stand(self, followed: bool) -> None:
        if self.follow:
            self.below = False
            return
        self._anchor = self.emulator.lines.spot(self._top)
        if followed:
            self._newest_seen = self.emulator.lines.newest

    def taken_in(self) -> bool:
        """The emulator has taken something in. True: by that, there is something below what is seen."""
        if self.follow:
            return False
        self._top = max(self._top, self.emulator.first)
        if self.below or self.lines_below == 0:
            return False
        self.below = True
        return True

    def wrapped_anew(self) -> None:
        """Rows have other numbers at this width: go on at the same text."""
        if not self.follow:
            lines = self.emulator.lines
            self._top = lines.row(self._anchor) if self._anchor.line >= lines.first else self.emulator.first
            self.follow = self._top >= self.emulator.total + self._lowest_lead
            self.below = self.below and not self.follow

    def start_afresh(self) -> None:
        """What was seen is no more: follow."""
        self._top, self._newest_seen = 0, 0
        self.follow, self.below = True, False
