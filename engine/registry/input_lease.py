"""Who may write to a job's input just now: one writer at a time, and always the operator (spec 3.6, 5.2).

Kept in memory: a job's input has one engine, and a key must not wait for a disk.
"""

import time
from collections.abc import Callable

from engine.clock import Clock
from engine.clock.clock import Timer
from engine.ownership.conversations import by_shell
from engine.spec import Caller


class InputLease:
    """The lease on one job's input. On the engine's loop alone."""

    def __init__(self) -> None:
        self._holder: Caller | None = None
        self._until = 0.0
        """By the clock that never jumps."""
        self._timer: Timer | None = None

    @property
    def shown(self) -> str:
        """Who holds it, if that isn't the operator; else empty."""
        return "" if self._holder is None or self._holder.is_operator else _words(self._holder)

    def refuses(self, caller: Caller, clock: Clock) -> str:
        """Why this caller may not write now; empty if it may."""
        holder, left = self._holder, self._until - clock.now()
        if caller.is_operator or holder is None or left <= 0 or holder.owner == caller.owner:
            return ""
        until = time.strftime("%H:%M:%S", time.localtime(clock.wall() + left))
        who = "the operator" if holder.is_operator else _words(holder)
        return f"{who} is writing to it, until {until} if nothing more comes; nothing was sent. Try again then"

    def take(self, caller: Caller, clock: Clock, seconds: float, changed: Callable[[], object]) -> None:
        """This caller wrote: it is its alone for so long. ``changed`` is called when it is shown otherwise."""
        before, self._holder = self.shown, caller
        self._until = clock.now() + seconds
        if self.shown and self._timer is None:
            self._timer = clock.call_later(seconds, lambda: self._look(clock, changed))
        if self.shown != before:
            changed()

    def let_go(self) -> None:
        """Nobody holds it any more."""
        self._holder = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self, clock: Clock, changed: Callable[[], object]) -> None:
        """One timer, however many writes: it looks again when the last of them is over."""
        self._timer = None
        left = self._until - clock.now()
        if left > 0 and self.shown:
            self._timer = clock.call_later(left, lambda: self._look(clock, changed))
        elif self.shown:
            self.let_go()
            changed()


def _words(holder: Caller) -> str:
    return "the shell" if by_shell(holder.owner) else f"agent {holder.owner}"
