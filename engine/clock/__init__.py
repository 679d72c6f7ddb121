"""The time: how it goes by, what the clock on the wall says, and being called when it has come."""

from engine.clock.clock import Clock as Clock
from engine.clock.clock import Timer as Timer
from engine.clock.real import RealClock as RealClock

__all__ = ["Clock", "RealClock", "Timer"]
