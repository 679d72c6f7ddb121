"""A notice and who it is addressed to."""

import os
from collections.abc import Callable

from engine.events import Notice
from engine.spec import Caller


class Letter:
    """One notice on its way; the same object wherever it waits, so that it can be taken back from there."""

    __slots__ = ("attempts", "in_hand", "kept_at", "letter_id", "notice", "on_gone", "on_return", "owner", "taken")

    def __init__(self, owner: str, notice: Notice, kept_at: float, letter_id: str = "") -> None:
        self.letter_id = letter_id or os.urandom(8).hex()
        """The same in whichever engine it waits."""
        self.owner = owner
        self.notice = notice
        self.kept_at = kept_at
        """Wall clock: from here on its age counts."""
        self.taken = False
        """Its owner has it."""
        self.in_hand = False
        """It was sent to a receiver, who hasn't said that it has it."""
        self.attempts = 0
        """How many receivers have gone without having taken what they were sent."""
        self.on_return: Callable[[Letter], None] | None = None
        """Told on the engine's loop when such a one is gone."""
        self.on_gone: Callable[[Letter], None] | None = None
        """Told when it waits no more, on the thread that takes it or the engine's; it must not block."""

    def take(self) -> None:
        """Its owner takes it."""
        self.taken = True
        self.gone()

    def returned(self) -> None:
        """Who had it in hand is gone, or gets it no more."""
        if self.in_hand:
            self.in_hand = False
            self.attempts += 1
            if self.on_return is not None:
                self.on_return(self)

    def gone(self) -> None:
        """It waits no more to be taken."""
        if self.on_gone is not None:
            self.on_gone(self)


def may_receive(owner: str, caller: Caller) -> bool:
    """Is this caller the owner, or its continuation? Operators are one and the same; nobody stands in for another."""
    return owner == caller.owner or (bool(owner) and caller.owner.startswith(f"{owner}."))
