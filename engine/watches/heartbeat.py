"""What a job wrote since the last time, told in a steady beat; a silent job has none and costs nothing (spec 2.5)."""

from collections.abc import Callable

from engine.clock import Clock, Timer


class HeartbeatTimer:
    """Beats at whole multiples of its interval after the start, where output came since the last beat."""

    def __init__(self, clock: Clock, seconds: float, beat: Callable[[], None]) -> None:
        self.seconds = seconds
        self._clock = clock
        self._beat = beat
        self._started_at = clock.now()
        self._timer: Timer | None = None

    def output_came(self) -> None:
        """There will be something to tell at the next beat."""
        if self._timer is None:
            left = self.seconds - (self._clock.now() - self._started_at) % self.seconds
            self._timer = self._clock.call_later(left, self._due)

    def close(self) -> None:
        """No further beat."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _due(self) -> None:
        self._timer = None
        self._beat()
