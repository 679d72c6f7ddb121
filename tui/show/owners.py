"""Conversations as people tell them apart."""

import re

from tui.show.cleaning import clean_line

_MADE = re.compile(r"conv_([0-9a-f]{4})[0-9a-f]*((?:[/.][0-9a-f]+)*)")


def short_owner(owner: str) -> str:
    """``conv 7f3a`` for the id of a conversation, ``conv 7f3a/02bd`` for one that works for it; others as they are."""
    made = _MADE.fullmatch(owner)
    if made is None:
        return clean_line(owner, 40)
    below = [part[:5] for part in re.findall(r"/[0-9a-f]+", made[2])]
    return "".join(["conv ", made[1], *below])
