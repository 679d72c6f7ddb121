"""Tells when processes that aren't our children have ended: by a pidfd each, so that nothing polls."""

import asyncio
import os
from collections.abc import Callable

from engine.process.identity import LINUX, Identity, is_alive

_LOOK_SECONDS = 5.0


class EndWatches:
    """Watches on processes by identity. Used from the engine's loop alone.

    Where there is no pidfd, or no descriptor is left, the process is looked at every five seconds.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._descriptors: set[int] = set()
        self._timers: dict[Identity, asyncio.TimerHandle] = {}

    def watch(self, identity: Identity, then: Callable[[], None]) -> None:
        """Call ``then`` on the loop when this very process has ended; in a later step, if it has already."""
        try:
            descriptor = os.pidfd_open(identity.pid) if LINUX else -1
        except ProcessLookupError:
            self._loop.call_soon(then)
            return
        except OSError:
            descriptor = -1
        if descriptor < 0:
            self._look_later(identity, then)
        elif not is_alive(identity):  # asked after the pidfd was made: the number can't have changed hands in between
            os.close(descriptor)
            self._loop.call_soon(then)
        else:
            self._descriptors.add(descriptor)
            self._loop.add_reader(descriptor, self._ended, descriptor, then)

    async def ended(self, identity: Identity, seconds: float) -> bool:
        """Wait until this very process has ended, at most so long; False: it hasn't."""
        over = asyncio.Event()
        self.watch(identity, over.set)
        try:
            await asyncio.wait_for(over.wait(), seconds)
        except TimeoutError:
            return not is_alive(identity)
        return True

    def _ended(self, descriptor: int, then: Callable[[], None]) -> None:
        self._drop(descriptor)
        then()

    def _look_later(self, identity: Identity, then: Callable[[], None]) -> None:
        def look() -> None:
            if is_alive(identity):
                self._timers[identity] = self._loop.call_later(_LOOK_SECONDS, look)
            else:
                self._timers.pop(identity, None)
                then()

        self._timers[identity] = self._loop.call_later(_LOOK_SECONDS, look)

    def _drop(self, descriptor: int) -> None:
        self._descriptors.discard(descriptor)
        self._loop.remove_reader(descriptor)
        os.close(descriptor)

    def close(self) -> None:
        """Watch nobody any longer."""
        for descriptor in tuple(self._descriptors):
            self._drop(descriptor)
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
