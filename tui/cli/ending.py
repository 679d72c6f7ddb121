"""Waiting until somebody says that it is time to end: by a signal, whenever that comes."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress


class Ending:
    """From its making on these signals are heard here, on the main thread, and end nothing by themselves; but those
    that were ignored before (by ``nohup``) still are.

    By a pipe that Python's own handler writes their numbers to: a handler in Python runs only once the main thread is
    awake, and a signal that comes just before that falls asleep would be heard when something else wakes it, or never.
    """

    def __init__(self, signals: Sequence[signal.Signals] = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)) -> None:
        self.told = False
        """Has one come?"""
        self._read_end, self._write_end = os.pipe()
        os.set_blocking(self._write_end, False)
        signal.set_wakeup_fd(self._write_end, warn_on_full_buffer=False)
        for number in signals:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, lambda _number, _frame: None)

    def wake(self) -> None:
        """Let `wait` return; on any thread."""
        with suppress(BlockingIOError):  # it is about to
            os.write(self._write_end, b"\0")

    def wait(self) -> None:
        """Until a signal comes, or `wake` is called."""
        self.told = any(os.read(self._read_end, 64)) or self.told
