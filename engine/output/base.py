"""What the text that a buffer no longer keeps has left behind, so that a viewer can start where the buffer does."""

from collections.abc import Iterable
from typing import Protocol

from engine.output.modes import ModeScan
from engine.replay import Base, SizeMark
from engine.terminal import Screen, Stream, newest_reset, prelude

_BASE_LINES = 200
"""Scrollback of a base: enough for what a resize takes back onto the screen."""
_NEWEST_CHARS = 32_768
_MOST_CHARS = 262_144
"""How much of a flood the base looks at when it passes over the rest."""


class Dropped(Protocol):
    """Takes in the dropped text, in order, and says what it amounts to."""

    exact: bool
    """False after text was passed over."""

    def feed(self, text: str) -> None:
        """The next dropped characters."""

    def resize(self, cols: int, rows: int) -> None:
        """The terminal had this size from here on."""

    def pass_over(self, text: str) -> None:
        """These dropped characters come faster than they can be taken in: take the newest point that matters."""

    def base(self, size: SizeMark, ahead: str) -> Base:
        """The terminal after all dropped text and ``ahead``, the characters between it and the replay's start."""


class DroppedLines:
    """For a job on pipes, whose text is lines and whose terminal has whatever size a viewer has: modes and pen."""

    def __init__(self) -> None:
        self.exact = True
        self._modes = ModeScan()

    def feed(self, text: str) -> None:
        """See `Dropped`."""
        self._modes.feed(text)

    def resize(self, cols: int, rows: int) -> None:
        """See `Dropped`. Pipes have no size."""

    def pass_over(self, text: str) -> None:
        """See `Dropped`. Scanning is as fast as reading: nothing needs to be passed over."""
        self._modes.feed(text)

    def base(self, size: SizeMark, ahead: str) -> Base:
        """See `Dropped`."""
        modes = self._modes.copy()
        modes.feed(ahead)
        return Base(size.cols, size.rows, modes.prelude())


class DroppedScreen:
    """For a job on a terminal: the terminal itself, with little scrollback."""

    def __init__(self, cols: int, rows: int) -> None:
        self.exact = True
        self._begin(cols, rows)

    def _begin(self, cols: int, rows: int) -> None:
        self._screen = Screen(cols, rows, scrollback=_BASE_LINES)
        self._stream = Stream(self._screen)

    def feed(self, text: str) -> None:
        """See `Dropped`."""
        self._stream.feed(text)

    def resize(self, cols: int, rows: int) -> None:
        """See `Dropped`."""
        self._screen.resize(rows, cols)

    def pass_over(self, text: str) -> None:
        """See `Dropped`. From a point that resets the picture if there is one, else with the newest lines alone."""
        self.exact = False
        found = newest_reset(text, self._screen.alternate)
        start, alternate = found if found is not None else (max(0, len(text) - _NEWEST_CHARS), self._screen.alternate)
        if found is not None:
            self._begin(self._screen.columns, self._screen.lines)
            if alternate:
                self._stream.feed("\x1b[?1049h")
        self._stream.feed(text[start:][-_MOST_CHARS:])

    def base(self, size: SizeMark, ahead: str) -> Base:
        """See `Dropped`."""
        if ahead:
            raise ValueError("a terminal's replay starts where its base stands")
        return Base(size.cols, size.rows, prelude(self._screen, self._stream))


def feed_with_sizes(dropped: Dropped, text: str, start: int, sizes: Iterable[SizeMark]) -> None:
    """Feed text that began at ``start``, with the size changes at their positions (``start`` < position ≤ end)."""
    done = 0
    for mark in sizes:
        cut = mark.position - start
        if cut > done:
            dropped.feed(text[done:cut])
            done = cut
        dropped.resize(mark.cols, mark.rows)
    if done < len(text):
        dropped.feed(text[done:])
