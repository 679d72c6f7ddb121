"""Turns of conversations: what was started in one that is abandoned is ended with it (spec 3.8)."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine.clock import Clock, Timer


class Turn:
    """One open turn. Its sign of life is any call of its owner's; a call under way is one as long as it lasts."""

    def __init__(self, turn_id: str, now: float) -> None:
        self.turn_id = turn_id
        self.last_sign = now
        self.calls = 0
        self.timer: Timer | None = None


class Turns:
    """The open turns, at most one an owner. Used on the loop alone."""

    def __init__(self, clock: Clock, inactivity_seconds: float) -> None:
        self._clock = clock
        self._inactivity = inactivity_seconds
        self.on_silence: Callable[[str], object] = lambda _turn_id: None
        """Told of a turn that was closed because nothing was heard of its owner: what it started is to be ended."""
        self._open: dict[str, Turn] = {}

    def current(self, owner: str) -> str:
        """The id of the owner's open turn; empty when there is none."""
        turn = self._open.get(owner)
        return turn.turn_id if turn is not None else ""

    def begin(self, owner: str) -> str:
        """Open a turn; one that is open still has ended normally by that."""
        self.end(owner)
        turn = self._open[owner] = Turn(f"turn_{os.urandom(4).hex()}", self._clock.now())
        self._wait(owner, turn, self._inactivity)
        return turn.turn_id

    def end(self, owner: str, turn_id: str = "") -> str:
        """Close the owner's turn, that of ``turn_id`` if given; its id, empty when it isn't open (any more)."""
        turn = self._open.get(owner)
        if turn is None or (turn_id and turn_id != turn.turn_id):
            return ""
        del self._open[owner]
        if turn.timer is not None:
            turn.timer.cancel()
        return turn.turn_id

    @contextmanager
    def sign(self, owner: str) -> Iterator[None]:
        """A call of this owner's, from its beginning to its end."""
        turn = self._open.get(owner)
        if turn is not None:
            turn.calls += 1
        try:
            yield
        finally:
            if turn is not None:
                turn.calls -= 1
                turn.last_sign = self._clock.now()

    def _wait(self, owner: str, turn: Turn, seconds: float) -> None:
        turn.timer = self._clock.call_later(seconds, lambda: self._look(owner, turn))

    def _look(self, owner: str, turn: Turn) -> None:
        silent = 0.0 if turn.calls else self._clock.now() - turn.last_sign
        if silent >= self._inactivity:
            self.end(owner)
            self.on_silence(turn.turn_id)
        else:
            self._wait(owner, turn, self._inactivity - silent)
