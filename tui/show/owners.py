"""Conversations as people tell them apart."""

import re

from engine.ownership.conversations import by_shell
from tui.show.cleaning import clean_line

_MADE = re.compile(r"(conv|shell)_([0-9a-f]{4})[0-9a-f]*((?:[/.][0-9a-f]+)*)")


def short_owner(owner: str) -> str:
    """``conv 7f3a`` for the id of a conversation, ``conv 7f3a/02bd`` for one that works for it, ``shell`` for the
    home's own command line; others as they are."""
    made = _MADE.fullmatch(owner)
    if made is None:
        return clean_line(owner, 40)
    kind, begins, rest = made.groups()
    below = [part[:5] for part in re.findall(r"/[0-9a-f]+", rest)]
    return "".join([kind if kind == "shell" else f"{kind} {begins}", *below])


def whose(owner: str) -> str:
    """``operator``, ``shell`` for what a person started on the command line, ``agent conv 7f3a``."""
    if not owner:
        return "operator"
    return short_owner(owner) if by_shell(owner) else f"agent {short_owner(owner)}"
