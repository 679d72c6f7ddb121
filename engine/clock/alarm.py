"""What wakes the loop when the wall clock reaches a time, or has been set."""

import asyncio
import ctypes
import errno
import math
import os
import sys
import time
from collections.abc import Callable

from engine.clock.looking import Alarm, LookingAlarm

_ABSOLUTE = 1
_CANCEL_ON_SET = 2


class _Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]


class _Setting(ctypes.Structure):
    _fields_ = [("interval", _Timespec), ("value", _Timespec)]


class TimerfdAlarm:
    """Linux's timer on the wall clock: the kernel wakes us at the time, when the clock is set and after a sleep.

    By ctypes, since ``os.timerfd_create`` came with Python 3.13 only.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> None:
        self._loop = loop
        self._ring = ring
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = self._libc.timerfd_create(time.CLOCK_REALTIME, os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        loop.add_reader(self._descriptor, self._ready)

    def arm(self, when: float) -> None:
        """See `Alarm`."""
        fraction, seconds = math.modf(max(when, 1.0))  # all zero would disarm it
        setting = _Setting(_Timespec(0, 0), _Timespec(int(min(seconds, 2**31 - 1)), int(fraction * 1e9)))
        flags = _ABSOLUTE | _CANCEL_ON_SET
        if self._libc.timerfd_settime(self._descriptor, flags, ctypes.byref(setting), None) < 0:
            if ctypes.get_errno() == errno.ECANCELED:  # set since the last time: it is armed all the same
                self._loop.call_soon(self._ring)
                return
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    def _ready(self) -> None:
        try:
            os.read(self._descriptor, 8)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.ECANCELED:  # that is how it tells that the clock was set
                raise
        self._ring()

    def close(self) -> None:
        """See `Alarm`."""
        if self._descriptor >= 0:
            self._loop.remove_reader(self._descriptor)
            os.close(self._descriptor)
            self._descriptor = -1


def make_alarm(loop: asyncio.AbstractEventLoop, ring: Callable[[], None]) -> Alarm:
    """The best there is: the kernel's timer, else (another system, no descriptor left) a look every few seconds."""
    if sys.platform.startswith("linux"):
        try:
            return TimerfdAlarm(loop, ring)
        except (OSError, AttributeError):
            pass
    return LookingAlarm(loop, ring)
