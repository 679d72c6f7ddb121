"""The last look at what jobs use, shared by all who ask."""

import asyncio
from functools import partial

from engine.process.aside import aside
from engine.process.identity import Identity
from engine.process.meter import Meter, TreeUse
from engine.process.probe import Probe

_SOONEST_SECONDS = 0.5


class Metering:
    """Looks when somebody asks, and not while nobody does. Used from the engine's loop alone."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._meter = Meter()
        self._looking = asyncio.Lock()
        self._at = float("-inf")
        self._last: dict[str, TreeUse] = {}

    async def measure(self, running: dict[str, Identity | None]) -> dict[str, TreeUse]:
        """What these jobs' trees use, by their ids. Who asks within half a second of a look gets that look.

        Raises:
            OSError: The processes of this machine can't be listed.
        """
        loop = asyncio.get_running_loop()
        async with self._looking:
            if self._at + _SOONEST_SECONDS <= loop.time():
                look = await self._probe.look()
                self._last = await aside("jobdeck-meter", partial(self._meter.measure, look, running))
                self._at = loop.time()
        return self._last
