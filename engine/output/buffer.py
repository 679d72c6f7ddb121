"""The newest output of one job, by absolute position (spec 1.5).

Text is kept in blocks of about 16k characters, so that dropping the oldest, cutting a range and finding a line cost
what they touch and never a copy of the whole.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from engine.output.marks import Marks
from engine.output.modes import ModeScan
from engine.replay import Base, Replay

_BLOCK_CHARS = 16_384
_LONG_LINE_CHARS = 65_536
"""A replay may begin inside a line that is longer than this, rather than leave all of it out."""


class _Block(NamedTuple):
    start: int
    lines_before: int
    """Line feeds in all output before this block."""
    text: str


class OutputBuffer:
    """Positions count characters since the job's start; ``start`` ≤ position < ``end`` is still here."""

    def __init__(self, limit: int, cols: int, rows: int) -> None:
        self.marks = Marks(cols, rows)
        self.end = 0
        self.line_feeds = 0
        """Line feeds in all output, dropped or not."""
        self.limit = limit
        self._blocks: list[_Block] = []
        self._tail: list[str] = []
        self._tail_start = 0
        self._tail_lines_before = 0
        self._dropped = ModeScan()
        """The modes that the dropped text left behind."""

    @property
    def start(self) -> int:
        """The oldest position that is still kept."""
        return self._blocks[0].start if self._blocks else self._tail_start

    @property
    def kept(self) -> int:
        """Characters kept."""
        return self.end - self.start

    @property
    def dropped_lines(self) -> int:
        """Line feeds in what has been dropped."""
        return self._blocks[0].lines_before if self._blocks else self._tail_lines_before

    def append(self, text: str, at: float) -> None:
        """Take in new output that came at wall-clock time ``at``; drops the oldest above the limit."""
        self.marks.add_time(self.end, at)
        self._tail.append(text)
        self.end += len(text)
        self.line_feeds += text.count("\n")
        if self.end - self._tail_start >= _BLOCK_CHARS:
            self._seal()
        self.shrink(self.limit)

    def shrink(self, keep: int) -> None:
        """Drop the oldest blocks until at most ``keep`` characters, or one block, are left."""
        gone = 0
        while gone < len(self._blocks) and self.end - self._blocks[gone].start > keep:
            following = self._blocks[gone + 1].start if gone + 1 < len(self._blocks) else self._tail_start
            if self.end - following < keep:
                break  # never less than was promised
            self._dropped.feed(self._blocks[gone].text)
            gone += 1
        if gone:
            del self._blocks[:gone]
            self.marks.drop_before(self.start)

    def pieces(self, start: int, end: int | None = None) -> Iterator[str]:
        """The text from ``start`` to ``end`` in pieces that are shared, not copied, but for the first and last."""
        end = self.end if end is None else end
        index = max(bisect_right(self._blocks, start, key=lambda block: block.start) - 1, 0)
        for block in self._blocks[index:]:
            if block.start >= end:
                return
            yield from _cut(block.text, start - block.start, end - block.start)
        if end > self._tail_start:
            yield from _cut(self._joined_tail(), start - self._tail_start, end - self._tail_start)

    def text(self, start: int, end: int | None = None) -> str:
        """The text from ``start`` (at the oldest kept) to ``end``."""
        return "".join(self.pieces(max(start, self.start), end))

    def newest(self, count: int) -> str:
        """The last ``count`` characters."""
        return self.text(self.end - count)

    def line_start(self, line: int) -> int:
        """The position where line number ``line`` of the whole output begins; the oldest kept if that is later."""
        if line <= self.dropped_lines:
            return self.start
        if line > self.line_feeds:
            return self.end
        index = bisect_right(self._blocks, line - 1, key=lambda block: block.lines_before) - 1
        for block in [*self._blocks[max(index, 0) :], self._tail_block()]:
            inside = line - block.lines_before
            if inside <= block.text.count("\n"):
                return block.start + _after_feed(block.text, inside)
        return self.end

    def replay(self, at: int | None) -> Replay:
        """What a viewer needs to go on from ``at``, or to start afresh where that is gone (None: all that is kept)."""
        if at is not None and self.start <= at:
            at = min(at, self.end)
            return Replay(at, None, tuple(self.pieces(at)), self.marks.between(at, self.end))
        start = self._first_line_start()
        modes = self._dropped.copy()
        modes.feed(self.text(self.start, start))
        size = self.marks.size_at(start)
        now = self.marks.time_at(start)
        marks = self.marks.between(start + 1, self.end)
        return Replay(
            start,
            Base(size.cols, size.rows, modes.prelude()),
            tuple(self.pieces(start)),
            (now, *marks) if now else marks,
            self.dropped_lines + self.text(self.start, start).count("\n"),
        )

    def _first_line_start(self) -> int:
        """The first position at a line's start; the oldest kept where nothing was dropped or the line is very long."""
        if self.start == 0:
            return 0
        position = self.start
        for piece in self.pieces(position, position + _LONG_LINE_CHARS):
            found = piece.find("\n")
            if found >= 0:
                return position + found + 1
            position += len(piece)
        return self.start

    def _joined_tail(self) -> str:
        if len(self._tail) > 1:
            self._tail = ["".join(self._tail)]
        return self._tail[0] if self._tail else ""

    def _tail_block(self) -> _Block:
        return _Block(self._tail_start, self._tail_lines_before, self._joined_tail())

    def _seal(self) -> None:
        self._blocks.append(self._tail_block())
        self._tail = []
        self._tail_start = self.end
        self._tail_lines_before = self.line_feeds


def _cut(text: str, start: int, end: int) -> Iterator[str]:
    part = text if start <= 0 and end >= len(text) else text[max(start, 0) : max(end, 0)]
    if part:
        yield part


def _after_feed(text: str, count: int) -> int:
    """The index after the ``count``-th line feed."""
    index = 0
    for _ in range(count):
        index = text.index("\n", index) + 1
    return index
