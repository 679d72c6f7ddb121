"""Spans of time as people read them, in few characters."""


def clock(seconds: float) -> str:
    """A running time: ``00:41``, ``12:03``, ``1:02:33``, ``3d 04h``."""
    whole = max(0, int(seconds))
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    if hours >= 24:
        days, hour = divmod(hours, 24)
        return f"{days}d {hour:02}h"
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"


def ago(seconds: float) -> str:
    """How long something is past: ``now``, ``12s ago``, ``2m ago``, ``3h ago``, ``4d ago``."""
    whole = max(0, int(seconds))
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if whole >= size:
            return f"{whole // size}{unit} ago"
    # Seconds in steps of ten: an ended job isn't worth a repaint every second.
    return f"{whole // 10 * 10}s ago" if whole >= 10 else "just now"


def span(seconds: float) -> str:
    """A length of time in words: ``0.4 s``, ``12 s``, ``1m12s``, ``3h05m``."""
    if seconds < 10:
        return f"{max(seconds, 0):.1f} s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60}m{whole % 60:02}s"
    return f"{whole // 3_600}h{whole % 3_600 // 60:02}m"
