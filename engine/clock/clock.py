"""What the engine needs of time; tests move a clock of their own."""

from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will be done at its time."""

    def cancel(self) -> None:
        """Don't do it. Safe to call twice, and after it was done."""


class Clock(Protocol):
    """Time as it goes by, and as the wall shows it. Used on the engine's loop alone.

    Inactivity, cooldowns and limits go by ``now``; what a person reads off a clock (deadlines) goes by ``wall``, which
    can jump.
    """

    def now(self) -> float:
        """Seconds that went by since some moment; never jumps. Only differences mean something."""

    def wall(self) -> float:
        """Seconds since the epoch."""

    def call_later(self, seconds: float, do: Callable[[], object]) -> Timer:
        """Run ``do`` on the loop after so many seconds have gone by; in the order of their times."""

    def call_at_wall(self, when: float, do: Callable[[], object]) -> Timer:
        """Run ``do`` on the loop once ``wall`` is ``when`` or later: also when the clock jumps past it, or the machine
        has slept past it."""

    def close(self) -> None:
        """Let go of descriptors; what was to be done isn't."""
