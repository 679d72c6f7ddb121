"""Which targets of a job's links the console offers to the host terminal."""

import re

_OPENABLE = re.compile(r"(?:https?|ftp)://[!-~]+|mailto:[!-~]+", re.IGNORECASE)
"""Printable ASCII without blanks: nothing in it can end the sequence it stands in, or be another one."""


def openable(target: str) -> str:
    """The target of a link that may be passed on, empty for any other.

    Pages and mail only: a terminal hands a target to whatever program is registered for its scheme.
    """
    return target if _OPENABLE.fullmatch(target) else ""
