"""The thread that reads the keys can always be ended, whoever else reads from the same terminal."""

import fcntl
import os
import pty
import signal
import sys
import termios
import threading
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from textual.app import App
from waiting import PATIENCE, wait_until

from tui.terminal_driver import TerminalDriver


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, int]]:
    """Both ends of a terminal that is our standard input, and the signals' handlers as they were."""
    before = [(number, signal.getsignal(number)) for number in (signal.SIGTSTP, signal.SIGCONT, signal.SIGWINCH)]
    master, slave = pty.openpty()
    monkeypatch.setattr(sys, "__stdin__", SimpleNamespace(fileno=lambda: slave, isatty=lambda: True))
    yield master, slave
    for number, handler in before:
        signal.signal(number, handler)
    os.close(master)
    os.close(slave)


class _Rival:
    """Another reader of the terminal, as a shell is while we are stopped; it takes what it gets."""

    def __init__(self, slave: int) -> None:
        self._way_in = os.open(os.ttyname(slave), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._take)
        self._thread.start()

    def _take(self) -> None:
        while not self._done.is_set():
            try:
                os.read(self._way_in, 100)
            except BlockingIOError:
                continue

    def end(self) -> None:
        self._done.set()
        self._thread.join()
        os.close(self._way_in)


async def test_input_that_somebody_else_has_read_blocks_nobody(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    settings = termios.tcgetattr(slave)
    settings[3] &= ~(termios.ICANON | termios.ECHO)
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    driver = TerminalDriver(App())
    rival = _Rival(slave)
    try:
        for _ in range(8):
            keys = threading.Thread(target=driver._run_input_thread, daemon=True)
            keys.start()
            for _ in range(20):
                os.write(master, b"x")
                wait_until(lambda: fcntl.ioctl(slave, termios.FIONREAD, bytes(4)) == bytes(4), what="it to be read")
            driver.exit_event.set()
            keys.join(PATIENCE)
            assert not keys.is_alive()
            driver.exit_event.clear()
    finally:
        rival.end()
        if driver.fileno != slave:
            os.close(driver.fileno)
