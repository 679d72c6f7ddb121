"""Whether those that wait for a job of the file may go on, over all its runs."""

from collections.abc import Callable

from engine.config.entries import Ready
from engine.registry.job import Job
from engine.registry.registry import Registry
from engine.services.readiness import ReadyWatch
from engine.spec import SpecError


class BecomingReady:
    """Of one job. On the engine's loop alone."""

    def __init__(self, registry: Registry, on_change: Callable[[], object]) -> None:
        """``on_change``: called when ``ready`` or ``failure`` has changed by itself."""
        self._registry, self._on_change = registry, on_change
        self.ready = False
        """May they go on?"""
        self.failure = ""
        """Why they can't, unless somebody does something, in words: ``failed (exit 1)``."""
        self.was = False
        """Before its last run ended."""
        self._watch: ReadyWatch | None = None

    def look(self, job: Job, wanted: Ready | None) -> None:
        """See when this run becomes what is wanted; it isn't yet."""
        self.cancel()
        self.ready, self.failure = False, ""
        try:
            self._watch = ReadyWatch(self._registry, job, wanted, lambda: self._set("", ready=True), self._set)
        except SpecError as error:
            self._set(str(error))

    def rest(self, failure: str = "", *, ready: bool = False) -> None:
        """Nothing changes it by itself any more."""
        self.cancel()
        self.ready, self.failure = ready, failure

    def cancel(self) -> None:
        """Look no longer. Safe to call twice."""
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _set(self, failure: str, *, ready: bool = False) -> None:
        self.ready, self.failure = ready, failure
        self._on_change()
