"""A notice and who it is addressed to."""

from engine.events import Notice
from engine.spec import Caller


class Letter:
    """One notice on its way; the same object wherever it waits, so that it can be taken back from there."""

    __slots__ = ("kept_at", "notice", "owner", "taken")

    def __init__(self, owner: str, notice: Notice, kept_at: float) -> None:
        self.owner = owner
        self.notice = notice
        self.kept_at = kept_at
        """Wall clock: from here on its age counts."""
        self.taken = False
        """Its owner has it."""


def may_receive(owner: str, caller: Caller) -> bool:
    """Is this caller the owner, or its continuation? Operators are one and the same; nobody stands in for another."""
    return owner == caller.owner or (bool(owner) and caller.owner.startswith(f"{owner}."))
