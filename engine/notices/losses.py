"""Notices that could not be delivered, told to the operator: never silence, never a flood."""

from collections.abc import Callable, Sequence

from engine.clock import Clock, Timer
from engine.notices.letter import Letter

_MOST_NAMED = 3


class Losses:
    """Tells the first loss at once and gathers what follows for a while; waits for an operator who listens."""

    def __init__(
        self, clock: Clock, interval: float, listening: Callable[[], bool], warn: Callable[[str], object]
    ) -> None:
        self._clock = clock
        self._interval = interval
        self._listening = listening
        self._warn = warn
        self._untold: dict[tuple[str, str], tuple[int, list[str]]] = {}
        """By owner and reason: how many, and some of the jobs they were about."""
        self._quiet: Timer | None = None

    def add(self, letters: Sequence[Letter], why: str) -> None:
        """These will never reach their owner."""
        for letter in letters:
            count, jobs = self._untold.get((letter.owner, why), (0, []))
            about = getattr(letter.notice, "session_id", "")  # the breaker's are about all jobs
            if about and about not in jobs and len(jobs) <= _MOST_NAMED:
                jobs = [*jobs, about]
            self._untold[letter.owner, why] = (count + 1, jobs)
        self.tell()

    def tell(self) -> None:
        """Warn of what is untold, if somebody listens and the last warning isn't too recent."""
        if not self._untold or self._quiet is not None or not self._listening():
            return
        self._quiet = self._clock.call_later(self._interval, self._go_on)
        untold, self._untold = self._untold, {}
        for (owner, why), (count, jobs) in untold.items():
            self._warn(_words(owner, why, count, jobs))

    def _go_on(self) -> None:
        self._quiet = None
        self.tell()


def _words(owner: str, why: str, count: int, jobs: list[str]) -> str:
    about = ", ".join(jobs[:_MOST_NAMED]) + (" …" if len(jobs) > _MOST_NAMED else "")
    text = f"{count:,} notice{'s' * (count != 1)} to {owner or 'the operator'} could not be delivered: {why}"
    return f"{text}; about {about}" if about else text
