"""What the text that a buffer no longer keeps has left behind, so that a viewer can start where the buffer does."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from engine.output.modes import ModeScan
from engine.replay import Base, SizeMark

if TYPE_CHECKING:
    from engine.terminal import Screen, Stream

_BASE_LINES = 200
"""Scrollback of a base: enough for what a resize takes back onto the screen."""
_NEWEST_CHARS = 32_768
_MOST_CHARS = 262_144
"""How much of a flood the base looks at when it passes over the rest."""


class Dropped(Protocol):
    """Takes in the dropped text, in order, and says what it amounts to."""

    exact: bool
    """False after text was passed over."""

    def prepare(self) -> None:
        """Load what taking in text needs, so that it isn't taken for the text's own time."""

    def feed(self, text: str) -> None:
        """The next dropped characters."""

    def resize(self, cols: int, rows: int) -> None:
        """The terminal had this size from here on."""

    def pass_over(self, text: str) -> None:
        """These dropped characters come faster than they can be taken in: go on from the newest point that matters."""

    def base(self, size: SizeMark, ahead: str) -> Base:
        """The terminal after all dropped text and ``ahead``, the characters between it and the replay's start."""


class DroppedLines:
    """For a job on pipes, whose text is lines and whose terminal has whatever size a viewer has: modes and pen."""

    def __init__(self) -> None:
        self.exact = True
        self._modes = ModeScan()

    def prepare(self) -> None:
        """See `Dropped`. Nothing is needed."""

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


class _Newest(NamedTuple):
    """The end of what was passed over."""

    text: str
    afresh: bool
    """It begins with an empty screen, not with the one there was."""
    alternate: bool
    """The alternate screen is on where it begins."""


class DroppedScreen:
    """For a job on a terminal: the terminal itself, with little scrollback. Made when the first text is dropped."""

    def __init__(self, cols: int, rows: int) -> None:
        self.exact = True
        self._size = cols, rows
        self._made: tuple[Screen, Stream] | None = None
        self._newest: _Newest | None = None
        """What was passed over last, to be taken in when somebody asks: in a flood nobody may."""

    def prepare(self) -> None:
        """See `Dropped`."""
        if self._made is None:
            self._begin()

    def feed(self, text: str) -> None:
        """See `Dropped`."""
        self._catch_up().feed(text)

    def resize(self, cols: int, rows: int) -> None:
        """See `Dropped`."""
        self._size = cols, rows
        if self._made is not None:
            self._made[0].resize(rows, cols)

    def pass_over(self, text: str) -> None:
        """See `Dropped`. From a point that resets the picture if there is one, else with the newest lines alone."""
        from engine.terminal import newest_reset

        self.exact = False
        before = self._newest
        if before is None:
            before = _Newest("", afresh=False, alternate=self._made is not None and self._made[0].alternate)
        found = newest_reset(text, before.alternate)
        if found is not None:
            self._newest = _Newest(text[found[0] :][-_MOST_CHARS:], afresh=True, alternate=found[1])
        else:
            self._newest = before._replace(text=text[-_NEWEST_CHARS:])

    def _catch_up(self) -> "Stream":
        newest, self._newest = self._newest, None
        _screen, stream = self._begin() if self._made is None or (newest is not None and newest.afresh) else self._made
        if newest is not None:
            stream.feed(("\x1b[?1049h" if newest.afresh and newest.alternate else "") + newest.text)
        return stream

    def base(self, size: SizeMark, ahead: str) -> Base:
        """See `Dropped`."""
        if ahead:
            raise ValueError("a terminal's replay starts where its base stands")
        if self._made is None and self._newest is None:
            return Base(size.cols, size.rows, "")
        from engine.terminal import prelude

        stream = self._catch_up()
        screen, _ = self._made or self._begin()
        return Base(size.cols, size.rows, prelude(screen, stream))

    def _begin(self) -> "tuple[Screen, Stream]":
        from engine.terminal import Screen, Stream  # 40 ms that only jobs which drop text need

        screen = Screen(*self._size, scrollback=_BASE_LINES)
        self._made = screen, Stream(screen)
        return self._made


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
