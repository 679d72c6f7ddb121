"""The newest output of one job, by absolute position (spec 1.5).

Text is kept in blocks of 16k characters, so that dropping the oldest, cutting a range and finding a line cost
what they touch and never a copy of the whole.
"""

import time
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from engine.output.base import Dropped, DroppedLines, DroppedScreen, feed_with_sizes
from engine.output.marks import Marks
from engine.replay import Replay, SizeMark

_BLOCK_CHARS = 16_384
_LARGEST_SLICE = 524_288
_SLICE_SECONDS = 0.002
"""What one slice of dropped text may take the base."""
_LONG_LINE_CHARS = 65_536
"""A replay may begin inside a line that is longer than this, rather than leave all of it out."""


class _Block(NamedTuple):
    start: int
    lines_before: int
    """Line feeds in all output before this block."""
    text: str


class OutputBuffer:
    """Positions count characters since the job's start; ``start`` ≤ position < ``end`` is still here."""

    def __init__(self, limit: int, cols: int, rows: int, *, pty: bool = False) -> None:
        self.marks = Marks(cols, rows)
        self.end = 0
        self.limit = limit
        self._blocks: list[_Block] = []
        self._tail: list[str] = []
        self._tail_start = 0
        self._tail_lines_before = 0
        self._by_lines = not pty
        self._line_start = 0
        """A position where a line begins, though nothing before it is here."""
        self._given_up = 0
        """What is before this position is no longer promised."""
        self._slice = _BLOCK_CHARS
        self._dropped: Dropped = DroppedScreen(cols, rows) if pty else DroppedLines()

    def resume(self, position: int, line_feeds: int, cols: int, rows: int) -> None:
        """Go on from this position of an output whose beginning is lost; before anything was appended."""
        self.end = self._tail_start = self._given_up = position
        self._tail_lines_before = line_feeds
        self.marks = Marks(cols, rows)
        self._dropped.resize(cols, rows)
        self._dropped.exact = position == 0

    @property
    def start(self) -> int:
        """The oldest position that is still kept."""
        return self._blocks[0].start if self._blocks else self._tail_start

    @property
    def line_feeds(self) -> int:
        """Line feeds in all output, dropped or not."""
        return self._tail_lines_before + self._joined_tail().count("\n")

    @property
    def kept(self) -> int:
        """Characters kept, without those given up."""
        return self.end - max(self.start, self._given_up)

    @property
    def dropped_lines(self) -> int:
        """Line feeds in what has been dropped."""
        return self._blocks[0].lines_before if self._blocks else self._tail_lines_before

    def append(self, text: str, at: float) -> None:
        """Take in new output that came at wall-clock time ``at``; gives up the oldest above the limit."""
        self.marks.add_time(self.end, at)
        self._tail.append(text)
        self.end += len(text)
        if self.end - self._tail_start >= _BLOCK_CHARS:
            self._seal()
        self.shrink(self.limit)

    def restore(self, text: str, start: int, lines_before: int) -> None:
        """Hold the end of an output that is over, in place of `append`: it begins at ``start``, where a line does."""
        self._tail, self._tail_start, self._tail_lines_before = [text], start, lines_before
        self._line_start = self._given_up = start
        self.end = start + len(text)
        self._seal()

    def shrink(self, keep: int) -> None:
        """Give up the oldest blocks, as long as ``keep`` characters stay: `settle` then drops them."""
        blocks = self._blocks
        index = bisect_right(blocks, self._given_up, key=lambda block: block.start)
        while index <= len(blocks):
            following = blocks[index].start if index < len(blocks) else self._tail_start
            if self.end - following < keep or following <= self._given_up:
                return
            self._given_up = following
            index += 1

    @property
    def surplus(self) -> int:
        """Characters given up and not yet dropped."""
        return max(0, self._given_up - self.start)

    def prepare_to_drop(self) -> None:
        """Load what that needs, once: it takes longer than any slice."""
        self._dropped.prepare()

    def settle(self, seconds: float) -> bool:
        """Drop given-up blocks into the base for about so much CPU time; True when there is more to drop.

        Where far more waits than is kept anyway, the base passes over it: replays are approximate from then on.
        """
        deadline = time.thread_time() + seconds
        if self.surplus > self.limit:
            self._drop(self._given_up, passing_over=True)
        while self.surplus:
            began, start = time.thread_time(), self.start
            self._drop(min(self._given_up, start + self._slice))
            spent = time.thread_time() - began
            self._slice = int(min(max(self._slice * _SLICE_SECONDS / max(spent, 1e-6), _BLOCK_CHARS), _LARGEST_SLICE))
            if time.thread_time() >= deadline:
                break
        return self.surplus > 0

    def _drop(self, before: int, *, passing_over: bool = False) -> None:
        """Drop whole blocks until the buffer starts at ``before`` or just after it."""
        count = max(1, bisect_right(self._blocks, before - 1, key=lambda block: block.start))
        start = self.start
        text = "".join(block.text for block in self._blocks[:count])
        end = start + len(text)
        if passing_over:
            self._dropped.pass_over(text)
            size = self.marks.size_at(end)
            self._dropped.resize(size.cols, size.rows)
        else:
            sizes = [mark for mark in self.marks.between(start + 1, end + 1) if isinstance(mark, SizeMark)]
            feed_with_sizes(self._dropped, text, start, sizes)
        del self._blocks[:count]
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
            return Replay(at, None, tuple(self.pieces(at)), self.marks.between(at, self.end + 1))
        start = self._first_line_start() if self._by_lines else self.start
        ahead = self.text(self.start, start)
        size = self.marks.size_at(start)
        now = self.marks.time_at(start)
        marks = self.marks.between(start + 1, self.end + 1)
        return Replay(
            start,
            self._dropped.base(size, ahead),
            tuple(self.pieces(start)),
            (now, *marks) if now else marks,
            self.dropped_lines + ahead.count("\n"),
            approximate=not self._dropped.exact,
        )

    def _first_line_start(self) -> int:
        """The first position at a line's start; the oldest kept where nothing was dropped or the line is very long."""
        if self.start == self._line_start:
            return self.start
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
        """Cut the tail into blocks; what is less than one stays the tail."""
        text = self._joined_tail()
        whole = len(text) - len(text) % _BLOCK_CHARS
        for index in range(0, whole, _BLOCK_CHARS):
            part = text[index : index + _BLOCK_CHARS]
            self._blocks.append(_Block(self._tail_start, self._tail_lines_before, part))
            self._tail_start += len(part)
            self._tail_lines_before += part.count("\n")
        self._tail = [text[whole:]]


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
