"""What a viewer of a job's output gets: a replay, then chunks by credit, then the end.

Positions are absolute: characters since the job's start.
"""

from typing import Protocol, TypeAlias

import msgspec


class SizeMark(msgspec.Struct, frozen=True, tag="size"):
    """From this position on the output was written for a terminal of this size."""

    position: int
    cols: int
    rows: int


class TimeMark(msgspec.Struct, frozen=True, tag="time"):
    """The character at this position came at this wall-clock time (seconds since the epoch)."""

    position: int
    at: float


Mark: TypeAlias = SizeMark | TimeMark


class Base(msgspec.Struct, frozen=True):
    """The terminal as it was at a replay's start, before its first character."""

    cols: int
    rows: int
    prelude: str
    """Control sequences that set the modes and the pen in force at that position."""


class Replay(msgspec.Struct, frozen=True, tag="replay"):
    """All that is still kept from ``start`` on; the first thing an attachment delivers.

    ``base`` is None when the viewer asked for a position that is still kept: it goes on with what it has.
    Otherwise the viewer starts afresh from it; ``dropped_lines`` lines before ``start`` are gone.
    """

    start: int
    base: Base | None
    pieces: tuple[str, ...]
    marks: tuple[Mark, ...]
    dropped_lines: int = 0
    approximate: bool = False
    """The base was taken from a redraw flood's newest picture: not cell for cell what it would have been."""

    @property
    def end(self) -> int:
        """The position after the last character."""
        return self.start + sum(map(len, self.pieces))


class Chunk(msgspec.Struct, frozen=True, tag="chunk"):
    """The next characters, from ``start``, with the marks that fall among them; none where only the size is another."""

    start: int
    text: str
    marks: tuple[Mark, ...] = ()

    @property
    def end(self) -> int:
        """The position after the last character."""
        return self.start + len(self.text)


class OutputEnd(msgspec.Struct, frozen=True, tag="end"):
    """The job has ended and everything up to ``position`` has been delivered."""

    position: int


StreamItem: TypeAlias = Replay | Chunk | OutputEnd


class Sink(Protocol):
    """Takes what an attachment delivers, on the engine's thread: it must not block."""

    def __call__(self, item: StreamItem, /) -> None:
        """Take one item."""
