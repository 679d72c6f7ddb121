"""Timers on the wall clock see it jump; timers on the going-by of time don't."""

import asyncio
import errno
import os
import time
from collections.abc import Callable

import pytest
from manual_clock import ManualClock
from waiting import wait_until_async

from engine.clock import RealClock
from engine.clock.alarm import TimerfdAlarm
from engine.clock.looking import LookingAlarm


class HandAlarm:
    """Rings when the test does what a kernel would."""

    def __init__(self, _loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self.ring = ring
        self.armed: list[float] = []
        self.closed = False

    def arm(self, when: float) -> None:
        self.armed.append(when)

    def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("alarm", [TimerfdAlarm, LookingAlarm])
@pytest.mark.usefixtures("no_fd_leak")
def test_wall_timers_ring_in_order_and_not_early(alarm: type[TimerfdAlarm] | type[LookingAlarm]) -> None:
    async def run() -> None:
        clock = RealClock(asyncio.get_running_loop(), alarm=alarm)
        rung: list[str] = []
        at = time.time()
        clock.call_at_wall(at + 0.2, lambda: rung.append("second" if time.time() >= at + 0.2 else "early"))
        clock.call_at_wall(at + 0.1, lambda: rung.append("first" if time.time() >= at + 0.1 else "early"))
        clock.call_at_wall(at + 0.15, lambda: rung.append("cancelled")).cancel()
        clock.call_at_wall(at - 1000, lambda: rung.append("past"))
        await wait_until_async(lambda: len(rung) == 3)
        assert rung == ["past", "first", "second"]
        clock.close()

    asyncio.run(run())


def test_a_clock_set_forward_past_a_time_rings_it_and_set_back_keeps_it() -> None:
    async def run() -> None:
        made: list[HandAlarm] = []
        wall = 1000.0

        def make(loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> HandAlarm:
            made.append(HandAlarm(loop, ring))
            return made[-1]

        clock = RealClock(asyncio.get_running_loop(), wall=lambda: wall, alarm=make)
        rung: list[float] = []
        clock.call_at_wall(1500.0, lambda: rung.append(1500.0))
        clock.call_at_wall(2000.0, lambda: rung.append(2000.0))
        wall = 100.0
        made[0].ring()
        await asyncio.sleep(0)
        assert rung == [] and made[0].armed[-1] == 1500.0
        wall = 1700.0
        made[0].ring()
        await asyncio.sleep(0)
        assert rung == [1500.0] and made[0].armed[-1] == 2000.0
        wall = 9000.0
        made[0].ring()
        await asyncio.sleep(0)
        assert rung == [1500.0, 2000.0] and made[0].closed

    asyncio.run(run())


def test_the_manual_clock_is_a_clock_in_order() -> None:
    clock = ManualClock()
    rung: list[str] = []
    clock.call_later(2, lambda: rung.append("2"))

    def first() -> None:
        rung.append("1")
        clock.call_later(0.5, lambda: rung.append("1.5"))

    clock.call_later(1, first)
    clock.call_at_wall(clock.wall() + 1.7, lambda: rung.append("wall 1.7"))
    clock.call_later(3, lambda: rung.append("3"))
    clock.go(2)
    assert rung == ["1", "1.5", "wall 1.7", "2"] and clock.waiting == 1
    clock.set_wall(clock.wall() + 1000)
    assert len(rung) == 4
    clock.go(1)
    assert rung[-1] == "3" and clock.waiting == 0


def test_the_kernel_s_word_that_the_clock_was_set_makes_it_look_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may set the machine's clock; what the kernel answers then (ECANCELED to a read) is put in its place."""

    async def run() -> None:
        rings: list[str] = []
        alarm = TimerfdAlarm(asyncio.get_running_loop(), lambda: rings.append("rung"))

        def cancelled(_descriptor: int, _size: int) -> bytes:
            alarm.arm(time.time() + 1_000)  # silences the descriptor, as that read would
            raise OSError(errno.ECANCELED, "Operation canceled")

        monkeypatch.setattr(os, "read", cancelled)
        alarm.arm(time.time())
        await wait_until_async(lambda: rings)
        monkeypatch.undo()
        assert rings == ["rung"]
        alarm.close()

    asyncio.run(run())
