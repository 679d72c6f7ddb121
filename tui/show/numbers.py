"""Counts in few characters."""


def short_count(number: int) -> str:
    """``7``, ``950``, ``1.2k``, ``14k``, ``2.0M``."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}" if number < 10 * size else f"{number // size}{unit}"
    return str(number)
