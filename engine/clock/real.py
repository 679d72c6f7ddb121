"""The machine's clocks, on an asyncio loop."""

import asyncio
import heapq
import itertools
import time
from collections.abc import Callable

from engine.clock.clock import Timer
from engine.clock.looking import Alarm, LookingAlarm


def _alarm(loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> "Alarm":
    try:
        from engine.clock.alarm import make_alarm  # only when something waits: it loads ctypes
    except (OSError, ImportError):  # no descriptor is left to load it with
        return LookingAlarm(loop, ring)
    return make_alarm(loop, ring)


class _WallTimer:
    """One thing to do at a wall-clock time."""

    def __init__(self, when: float, do: Callable[[], object], on_cancel: Callable[[], None]) -> None:
        self.when = when
        self.do: Callable[[], object] | None = do
        self._on_cancel = on_cancel

    def cancel(self) -> None:
        """See `Timer`."""
        if self.do is not None:
            self.do = None
            self._on_cancel()


class RealClock:
    """See `Clock`. The alarm exists only while something waits for a wall-clock time."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        wall: Callable[[], float] = time.time,
        alarm: Callable[[asyncio.AbstractEventLoop, Callable[[], None]], "Alarm"] = _alarm,
    ) -> None:
        self._loop = loop
        self._wall = wall
        self._make_alarm = alarm
        self._alarm: Alarm | None = None
        self._waiting: list[tuple[float, int, _WallTimer]] = []
        self._numbers = itertools.count()

    def now(self) -> float:
        """See `Clock`."""
        return self._loop.time()

    def wall(self) -> float:
        """See `Clock`."""
        return self._wall()

    def call_later(self, seconds: float, do: Callable[[], object]) -> Timer:
        """See `Clock`."""
        return self._loop.call_later(seconds, do)

    def call_at_wall(self, when: float, do: Callable[[], object]) -> Timer:
        """See `Clock`."""
        timer = _WallTimer(when, do, self._settle)
        heapq.heappush(self._waiting, (when, next(self._numbers), timer))
        self._settle()
        return timer

    def close(self) -> None:
        """See `Clock`."""
        self._waiting.clear()
        self._settle()

    def _look(self) -> None:
        """The time of the first may have come, or the clock has jumped."""
        due = []
        now = self._wall()
        while self._waiting and self._waiting[0][0] <= now:
            due.append(heapq.heappop(self._waiting)[2])
        self._settle()
        for timer in due:
            do, timer.do = timer.do, None
            if do is not None:
                self._loop.call_soon(do)

    def _settle(self) -> None:
        """Set the alarm to the first that is still wanted."""
        while self._waiting and self._waiting[0][2].do is None:
            heapq.heappop(self._waiting)
        if self._waiting:
            if self._alarm is None:
                self._alarm = self._make_alarm(self._loop, self._look)
            self._alarm.arm(self._waiting[0][0])
        elif self._alarm is not None:
            self._alarm.close()
            self._alarm = None
