"""Times as people write them: ``90``, ``10m``, ``1h30m``, ``18:30``."""

import re
import time

_SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?", re.ASCII)
_CLOCK = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?", re.ASCII)


def seconds_in(text: str) -> float:
    """A length of time in seconds.

    Raises:
        ValueError: It isn't one; the text says how to write it.
    """
    text = text.strip().replace(" ", "")
    found = _SPAN.fullmatch(text)
    if not text or found is None:
        raise ValueError(f"'{text}' is no length of time: write 90, 45s, 10m, 1h30m or 2d")
    days, hours, minutes, seconds = (float(part or 0) for part in found.groups())
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if total <= 0:
        raise ValueError("a time of nothing is over at once: write 90, 45s, 10m, 1h30m or 2d")
    return total


def moment_of(text: str, now: float) -> float | None:
    """When the clock shows ``18:30`` next (or ``18:30:15``), in seconds since the epoch; None: it is no time."""
    found = _CLOCK.fullmatch(text.strip())
    if found is None:
        return None
    today = time.localtime(now)
    hour, minute, second = (int(part or 0) for part in found.groups())
    for day in (0, 1):
        moment = time.mktime((today.tm_year, today.tm_mon, today.tm_mday + day, hour, minute, second, 0, 0, -1))
        if moment > now:
            return moment
    return moment
