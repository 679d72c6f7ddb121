"""What jobs and the console use, asked for every two seconds while jobs run; nothing is asked while none do."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from textual.screen import Screen
from textual.timer import Timer

from engine import EngineGone
from engine.results import Usage

EVERY_SECONDS = 2.0
_SECOND_LOOK_SECONDS = 0.75
"""Shares of a processor are told from the second look on."""


class Gauge:
    """Asks on the screen's loop; the looks themselves are taken by the engine's probe."""

    def __init__(self, screen: Screen[Any], ask: Callable[[], Awaitable[Usage]], take: Callable[[Usage], None]) -> None:
        self._screen = screen
        self._ask = ask
        self._take = take
        self._asking = False
        self._timer: Timer = screen.set_interval(EVERY_SECONDS, self._look, pause=True)
        self.running = False
        """Is it looked?"""

    def run(self, wanted: bool) -> None:
        """Look from now on, or no more."""
        if wanted == self.running:
            return
        self.running = wanted
        if wanted:
            self._timer.resume()
            self._look()
            self._screen.set_timer(_SECOND_LOOK_SECONDS, self._look)
        else:
            self._timer.pause()

    def _look(self) -> None:
        if self.running and not self._asking:
            self._asking = True
            self._screen.run_worker(self._look_once(), group="gauge", exit_on_error=False)

    async def _look_once(self) -> None:
        try:
            usage = await self._ask()
        except (EngineGone, OSError):
            return  # the engine tells of its own end; a machine without a descriptor left is looked at again
        finally:
            self._asking = False
        if self.running:
            self._take(usage)


class OwnUse:
    """What this process uses: console and engine."""

    def __init__(self) -> None:
        import psutil

        self._process = psutil.Process(os.getpid())
        self._process.cpu_percent()

    def read(self) -> tuple[float, int]:
        """Of one processor since the last call, and bytes of memory."""
        return self._process.cpu_percent() / 100, self._process.memory_info().rss
