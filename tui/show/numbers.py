"""Counts, shares and sizes in few characters."""


def short_count(number: int) -> str:
    """``7``, ``950``, ``1.2k``, ``14k``, ``2.0M``."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if number >= size:
            return f"{number / size:.1f}{unit}" if number < 10 * size else f"{number // size}{unit}"
    return str(number)


def percent(share: float) -> str:
    """A share of one processor: ``0%``, ``4%``, ``137%`` … at most five characters."""
    return f"{min(round(share * 100), 9_999)}%"


def short_bytes(size: int) -> str:
    """``950K``, ``31M``, ``1.6G``, ``12G``; at most four characters up to a terabyte."""
    for unit, scale in (("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20)):
        if size >= scale:
            return f"{size / scale:.1f}{unit}" if size < 10 * scale and unit != "M" else f"{size // scale}{unit}"
    return f"{size // 1024}K"
