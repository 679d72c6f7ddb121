"""The last look at what jobs use, shared by all who ask."""

import asyncio
import time

from engine.process.identity import Identity
from engine.process.meter import Meter, TreeUse
from engine.process.probe import Probe
from engine.process.survey import Survey

_SOONEST_SECONDS = 0.5
_MOST_OF_A_PROCESSOR = 0.02
"""Looks take no more of one, however many processes there are."""


class Metering:
    """Looks when somebody asks, and not while nobody does. Used from the engine's loop alone."""

    def __init__(self, probe: Probe) -> None:
        self._probe = probe
        self._meter = Meter()
        self._looking = asyncio.Lock()
        self._next = float("-inf")
        """On the loop's clock: before that, who asks gets the last look."""
        self._last: dict[str, TreeUse] = {}

    async def measure(self, running: dict[str, Identity | None]) -> dict[str, TreeUse]:
        """What these jobs' trees use, by their ids. Who asks within half a second of a look gets that look.

        With many thousands of processes it is longer, so that looks don't take more than 2 % of a processor.

        Raises:
            OSError: The processes of this machine can't be listed.
        """
        loop = asyncio.get_running_loop()

        def look(survey: Survey) -> tuple[dict[str, TreeUse], float]:
            began = time.thread_time()
            measured = self._meter.measure(survey.read(running))
            return measured, time.thread_time() - began

        async with self._looking:
            if self._next <= loop.time():
                self._last, spent = await self._probe.survey(look)
                self._next = loop.time() + max(_SOONEST_SECONDS, spent / _MOST_OF_A_PROCESSOR)
        return self._last
