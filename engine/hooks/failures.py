"""Hooks that fail, told to the operator: the first at once, those after it together."""

from collections.abc import Callable

from engine.clock import Clock, Timer
from engine.hooks.hook import Hook

_QUIET_SECONDS = 60.0
"""So long the failures of one hook are only counted after one was told."""

Warn = Callable[[str, str], object]
"""Tells a text, and the job that it is about (empty: none)."""


class Failures:
    """One hook's failures are one story, until it succeeds."""

    def __init__(self, clock: Clock, warn: Warn) -> None:
        self._clock = clock
        self._warn = warn
        self._untold: dict[Hook, tuple[int, str]] = {}
        """Of hooks that were told to fail: how often they have failed since, and how the last time."""
        self._timers: dict[Hook, Timer] = {}
        self._left_out = 0
        self._quiet: Timer | None = None

    def failed(self, hook: Hook, job_name: str, session_id: str, what: str, said: str) -> None:
        """This one has failed, in this way, and has said this."""
        what = f"{what} for {job_name}" + (f": {said}" if said else "")
        if hook in self._timers:
            self._untold[hook] = (self._untold.get(hook, (0, ""))[0] + 1, what)
            return
        self._timers[hook] = self._clock.call_later(_QUIET_SECONDS, lambda: self._go_on(hook))
        self._warn(f"{hook.event} {what} → mend it in {hook.place}", session_id)

    def succeeded(self, hook: Hook) -> None:
        """This one works (again): its next failure is news."""
        if hook in self._timers:
            self._timers.pop(hook).cancel()
            self._tell(hook)

    def left_out(self, most: int) -> None:
        """One was not run, as too many wait already."""
        self._left_out += 1
        if self._quiet is None:
            self._quiet = self._clock.call_later(_QUIET_SECONDS, self._tell_left_out)
            self._warn(f"{most} hooks wait already: those that come now are not run, until there is room again", "")

    def close(self) -> None:
        """Tell nothing any more."""
        for timer in self._timers.values():
            timer.cancel()
        if self._quiet is not None:
            self._quiet.cancel()

    def _go_on(self, hook: Hook) -> None:
        del self._timers[hook]
        self._tell(hook)

    def _tell(self, hook: Hook) -> None:
        count, what = self._untold.pop(hook, (0, ""))
        if count:
            again = f"{count:,} times more" if count > 1 else "once more"
            self._warn(f"{hook.event} has failed {again}; the last {what} → mend it in {hook.place}", "")

    def _tell_left_out(self) -> None:
        self._quiet = None
        count, self._left_out = self._left_out - 1, 0
        if count > 0:
            self._warn(f"{count:,} more hooks were not run, as too many waited", "")
