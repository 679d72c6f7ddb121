"""The one bound over all jobs: too many hits in a short time, and none is delivered for a while."""

from collections import deque
from collections.abc import Callable

from engine.clock import Clock, Timer
from engine.config import Settings


class Breaker:
    """Counts the hits that would be delivered. Lets go by a timer, whether more come or not."""

    def __init__(
        self, clock: Clock, settings: Settings, on_trip: Callable[[float], None], on_release: Callable[[int], None]
    ) -> None:
        self._clock = clock
        self._settings = settings
        self._on_trip = on_trip
        self._on_release = on_release
        self._let_through: deque[float] = deque()
        self._timer: Timer | None = None
        self._suppressed = 0

    @property
    def tripped(self) -> bool:
        """Is nothing delivered now?"""
        return self._timer is not None

    def admit(self) -> bool:
        """May one more hit be delivered? The one that is too many trips the breaker and isn't."""
        if self._timer is not None:
            return False
        now = self._clock.now()
        while self._let_through and now - self._let_through[0] >= self._settings.watch_breaker_window_seconds:
            self._let_through.popleft()
        if len(self._let_through) >= self._settings.watch_breaker_hits:
            self._let_through.clear()
            self._timer = self._clock.call_later(self._settings.watch_breaker_seconds, self._release)
            self._on_trip(self._clock.wall() + self._settings.watch_breaker_seconds)
            return False
        self._let_through.append(now)
        return True

    def held(self, count: int) -> None:
        """So many hits were held back by it."""
        self._suppressed += count

    def close(self) -> None:
        """The engine ends."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _release(self) -> None:
        self._timer = None
        suppressed, self._suppressed = self._suppressed, 0
        self._on_release(suppressed)
