"""The pauses between runs of a job that is started again by itself."""

from collections.abc import Callable

from engine.clock.clock import Timer
from engine.config.entries import JobEntry
from engine.registry.registry import Registry

_DOUBLINGS = 30
"""More make no pause longer: the setting bounds it long before."""


class BackOff:
    """One job's: each pause is twice the last, until a run has lasted. On the engine's loop alone."""

    def __init__(self, registry: Registry, over: Callable[[], object]) -> None:
        """``over``: called at the end of a pause."""
        self._registry, self._over = registry, over
        self._due: Timer | None = None
        self.restarts = 0
        """How often it was started again in a row by itself."""

    @property
    def pending(self) -> bool:
        """Is there a pause just now?"""
        return self._due is not None

    def begin(self, entry: JobEntry, lasted: float) -> float | None:
        """Pause after a run that lasted so many seconds: for how many, or None if it was restarted often enough."""
        settings = self._registry.settings
        if lasted >= settings.restart_steady_seconds:
            self.restarts = 0
        if entry.max_restarts and self.restarts >= entry.max_restarts:
            return None
        seconds = min(entry.backoff * 2.0 ** min(self.restarts, _DOUBLINGS), settings.restart_backoff_most_seconds)
        self.restarts += 1
        self._due = self._registry.clock.call_later(seconds, self._end)
        return seconds

    def cancel(self) -> None:
        """No pause any more. Safe to call at any time."""
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def forget(self) -> None:
        """As if it had never been restarted: somebody wants it to run now."""
        self.restarts = 0
        self.cancel()

    def _end(self) -> None:
        self._due = None
        self._over()
