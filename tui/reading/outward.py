"""The order in which to look for a line that is about here."""

from collections.abc import Iterator


def outward(middle: int, first: int, end: int) -> Iterator[int]:
    """The numbers from ``first`` to before ``end``, the nearest to ``middle`` first."""
    if first < end:
        middle = max(first, min(middle, end - 1))
        yield middle
        for by in range(1, end - first):
            if middle - by >= first:
                yield middle - by
            if middle + by < end:
                yield middle + by
