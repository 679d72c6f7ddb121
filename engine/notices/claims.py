"""How long a batch's completion is one receiver's: who has it and doesn't take it loses it to another (spec 4.6)."""

from collections.abc import Callable, Sequence

from engine.clock import Clock
from engine.events import BatchDone
from engine.notices.letter import Letter


class Claims:
    """Looks at each completion that was handed out, once its time is over."""

    def __init__(self, clock: Clock, seconds: float, expired: Callable[[Letter], None]) -> None:
        self._clock = clock
        self._seconds = seconds
        self._expired = expired

    def given(self, letters: Sequence[Letter]) -> None:
        """These were handed to one receiver just now."""
        for letter in letters:
            if isinstance(letter.notice, BatchDone):
                self._clock.call_later(self._seconds, lambda letter=letter: self._look(letter))  # type: ignore[misc]

    def _look(self, letter: Letter) -> None:
        if not letter.taken:
            self._expired(letter)
