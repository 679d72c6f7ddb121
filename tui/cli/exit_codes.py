"""What verbs end with (spec 4.4)."""

GOOD = 0
REFUSED = 1
"""Refused, or what it was about failed."""
USAGE = 2
NO_SUCH = 3
"""No such job, batch or goal."""
NO_ENGINE = 4
INTERRUPTED = 130
"""By Ctrl-C, as shells have it: 128 and the signal."""
