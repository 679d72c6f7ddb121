"""Reading the log of a held job: what was kept when it is taken over, and what comes."""

import codecs
import os
from pathlib import Path
from typing import NamedTuple

from engine.ownership.holding.log import Start, read_marks, segments

_PIECE_BYTES = 65_536


class Piece(NamedTuple):
    """Bytes in a row, when they came, and the size that the terminal has from their first on, if it changed there."""

    byte: int
    data: bytes
    at: float
    size: tuple[int, int] | None

    @property
    def end(self) -> int:
        """The byte after its last."""
        return self.byte + len(self.data)


class History(NamedTuple):
    """What is kept of an output, from ``start`` on without a gap."""

    start: Start
    pieces: list[Piece]

    def text(self) -> str:
        """All of it, decoded."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.setstate((self.start.pending, 0))
        return decoder.decode(b"".join(piece.data for piece in self.pieces), final=True)


def read_history(folder: Path, end: Start, *, least_chars: int, wanted: int) -> History:
    """The output up to ``end``: at least the newest ``least_chars`` and all from byte ``wanted`` on, if kept.

    Blocks: not for a loop.

    Raises:
        OSError: It can't be read.
    """
    heads = [_Head(folder, first) for first in segments(str(folder)) if first < end.byte]
    if not heads or heads[-1].end < end.byte:
        return History(end, [])  # the disk didn't take what was before
    newest = heads[-1].start.char
    begin = len(heads) - 1
    while begin > 0 and heads[begin - 1].end == heads[begin].start.byte:  # else the disk didn't take what was between
        start = heads[begin].start
        if newest - start.char >= least_chars and start.byte <= wanted:
            break
        begin -= 1
    pieces: list[Piece] = []
    for head in heads[begin:]:
        pieces += _cut(head.start, head.marks, head.path.read_bytes()[: end.byte - head.start.byte])
    return History(heads[begin].start, pieces)


def read_left(folder: Path, least_chars: int) -> History:
    """The newest of what a holder that is gone has left of its job's output. Blocks: not for a loop.

    Raises:
        OSError: It can't be read.
    """
    kept = segments(str(folder))
    end = kept[-1] + (folder / f"{kept[-1]:020d}.log").stat().st_size if kept else 0
    return read_history(folder, Start(end, 0, 0, b"", 0, 0), least_chars=least_chars, wanted=end)


class _Head:
    """A segment that hasn't been read yet."""

    def __init__(self, folder: Path, first: int) -> None:
        self.path = folder / f"{first:020d}.log"
        self.end = first + self.path.stat().st_size
        self.start, self.marks = read_marks(str(folder), first)


def _cut(start: Start, marks: list[tuple[int, float | tuple[int, int]]], data: bytes) -> list[Piece]:
    """Cut a segment at its marks, and where a piece would be long."""
    found: list[Piece] = []
    at, size, done = 0.0, None, 0
    for byte, mark in [*marks, (start.byte + len(data), 0.0)]:
        until = min(byte - start.byte, len(data))
        while done < until:
            part = data[done : min(until, done + _PIECE_BYTES)]
            found.append(Piece(start.byte + done, part, at, size))
            size = None
            done += len(part)
        if isinstance(mark, tuple):
            size = mark
        else:
            at = mark
    return found


class Tail:
    """Reads a log on from one byte, segment by segment, as it grows. On the engine's loop: it was just written."""

    def __init__(self, folder: Path, position: int) -> None:
        self.position = position
        """The next byte to read."""
        self.lost = 0
        """Bytes that the log doesn't have."""
        self._folder = folder
        self._first = -1
        self._descriptor = -1

    def read(self, end: int, most: int) -> bytes:
        """The next bytes before ``end``, at most so many; empty if there are none.

        Raises:
            OSError: The log can't be read.
        """
        while self.position < end:
            if self._descriptor < 0 and not self._open():
                self.lost += end - self.position
                self.position = end
                return b""
            data = os.pread(self._descriptor, min(most, end - self.position), self.position - self._first)
            if data:
                self.position += len(data)
                return data
            before = self._first
            self.close()
            if not self._open() or self._first == before:
                raise OSError(5, "a held job's log ends before it should")
        return b""

    def _open(self) -> bool:
        """Open the segment of the position; if that isn't kept, go on with the next."""
        kept = segments(str(self._folder))
        if not kept:
            return False
        first = max((one for one in kept if one <= self.position), default=kept[0])
        path = self._folder / f"{first:020d}.log"
        if first + path.stat().st_size <= self.position:
            following = [one for one in kept if one > first]
            if following:
                first = following[0]
        if first > self.position:
            self.lost += first - self.position
            self.position = first
        self._first = first
        self._descriptor = os.open(self._folder / f"{first:020d}.log", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        return True

    def close(self) -> None:
        """Close what is open."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
