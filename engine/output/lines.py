"""Pages of lines out of a buffer, by their number in the whole output (spec 1.5)."""

from typing import NamedTuple

from engine.output.buffer import OutputBuffer


class Page(NamedTuple):
    """Lines ``first`` ≤ number < ``last`` of ``total``, and what is gone before the oldest that can be shown."""

    start: int
    """The position where the first begins."""
    end: int
    first: int
    last: int
    total: int
    dropped_lines: int
    dropped_chars: int


def window_start(buffer: OutputBuffer, window: int) -> int:
    """The oldest position that verbs see: of the newest ``window`` characters."""
    return max(buffer.start, buffer.end - window)


def page(buffer: OutputBuffer, window: int, offset: int | None, limit: int) -> Page:
    """``limit`` lines from number ``offset`` on; without an offset the last ones."""
    oldest = window_start(buffer, window)
    dropped_lines = buffer.dropped_lines + buffer.text(buffer.start, oldest).count("\n")
    unfinished = buffer.end > 0 and buffer.newest(1) != "\n"
    total = buffer.line_feeds + unfinished
    first = max(total - limit, 0) if offset is None else min(offset, total)
    first = max(first, dropped_lines)
    last = min(first + limit, total)
    start = max(buffer.line_start(first), oldest)
    end = max(start, buffer.line_start(last) if last < total else buffer.end)
    return Page(start, end, first, max(last, first), total, dropped_lines, oldest)
