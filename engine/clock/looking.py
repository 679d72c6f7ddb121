"""A wall-clock alarm that looks at the clock now and then: works everywhere, needs no descriptor."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol

_LOOK_SECONDS = 5.0
"""Where nothing tells that the clock was set: how long a jump may go unseen."""


class Alarm(Protocol):
    """Rings at a wall-clock time, and whenever the clock may have jumped."""

    def arm(self, when: float) -> None:
        """Ring at ``when``, instead of the time it was set to before."""

    def close(self) -> None:
        """Ring no more."""


class LookingAlarm:
    """Looks at the clock every few seconds, for systems that tell nobody that it was set."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop = loop
        self._ring = ring
        self._timer: asyncio.TimerHandle | None = None

    def arm(self, when: float) -> None:
        """See `Alarm`."""
        self.close()
        self._timer = self._loop.call_later(min(max(0.0, when - time.time()), _LOOK_SECONDS), self._ring)

    def close(self) -> None:
        """See `Alarm`."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
