"""One bound for the buffers of all jobs together (spec 1.5)."""

from collections.abc import Sequence

from engine.output.buffer import OutputBuffer


def share_out(buffers: Sequence[tuple[OutputBuffer, int]], total: int, floor: int) -> None:
    """Shrink buffers until at most ``total`` characters are kept, those of the lowest rank first.

    ``buffers``: each with its rank (0 finished and hidden, higher: matters more). None shrinks below the lesser of
    ``floor`` and its fair share, unless all are there already.
    """
    kept = sum(buffer.kept for buffer, _rank in buffers)
    least = min(floor, total // max(1, len(buffers)))
    for buffer, _rank in sorted(buffers, key=lambda pair: (pair[1], -pair[0].kept)):
        if kept <= total:
            return
        before = buffer.kept
        buffer.shrink(max(least, before - (kept - total)))
        kept -= before - buffer.kept
