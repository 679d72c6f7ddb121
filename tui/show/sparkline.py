"""A row of bars: how something went, in one line."""

from collections.abc import Sequence

LEVELS = "▁▂▃▅▆▇█"
"""From the least to the most; `tui.ascii_only` has a sign for each."""


def sparkline(values: Sequence[float], width: int, top: float) -> str:
    """``values``, oldest first, in ``width`` cells: the newest at the right, blanks where there were none yet.

    Where there are more of them than cells, a cell shows the highest of its share. ``top`` is a full bar; what is
    higher is one, too.
    """
    if width <= 0:
        return ""
    share = -(-len(values) // width) or 1
    first = len(values) % share
    parts = [values[:first]] if first else []
    parts += [values[at : at + share] for at in range(first, len(values), share)]
    bars = "".join(_bar(max(part), top) for part in parts)
    return bars.rjust(width)


def _bar(value: float, top: float) -> str:
    if top <= 0:
        return LEVELS[0]
    return LEVELS[max(0, min(round(value / top * (len(LEVELS) - 1)), len(LEVELS) - 1))]
