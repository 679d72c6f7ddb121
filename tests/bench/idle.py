"""What the console costs while nobody touches it, on a real terminal: CPU, wake-ups, bytes for the terminal.

    python -m tests.bench.idle [--jobs N] [--seconds N]

Three times: nothing runs; 200 jobs run that say nothing; the same write a line four times a second each, so that
their views in the stack change as often as they ever do. It is measured from outside: processor time, and how often the
kernel has woken a thread (voluntary switches of context). What the jobs themselves use isn't counted. In the same
run: the same of a Textual application that shows a line and a footer.
"""

import argparse
import fcntl
import os
import pty
import shlex
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from tests.bench.peers import until

COLUMNS, LINES = 120, 40
_TICKS = os.sysconf("SC_CLK_TCK")
_BARE = """
from textual.app import App
from textual.widgets import Footer, Static
class Bare(App):
    def compose(self):
        yield Static("idle")
        yield Footer()
Bare().run()
"""
_WRITER = """
import os, sys, time
files = [os.open(path, os.O_RDWR) for path in sys.argv[1:]]
began, number = time.monotonic(), 0
while True:
    number += 1
    for place, file in enumerate(files):
        if place % 4 == 0:  # evenly, a few at a time
            time.sleep(max(0.0, began + (number + place / len(files)) / 4 - time.monotonic()))
        os.write(file, b"GET /items/%d 200 %dms\\n" % (number, place))
"""


class Spent(NamedTuple):
    """Until now."""

    at: float
    cpu: float
    """Seconds, of all threads."""
    screen: float
    """Seconds, of the main thread: the console's own."""
    wakes: int
    written: int
    """Bytes, to the terminal."""


class Console:
    """A program on a terminal that takes all that comes; a context manager that ends it."""

    def __init__(self, home: Path, words: Sequence[str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        env = {**os.environ, "JOBDECK_HOME": str(home / "home"), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        self._process = subprocess.Popen(
            words, stdin=slave, stdout=slave, stderr=slave, env=env, cwd=home, start_new_session=True
        )
        os.close(slave)
        self._written = 0
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        with suppress(OSError):
            while data := os.read(self._master, 65_536):
                self._written += len(data)

    def __enter__(self) -> "Console":
        return self

    def __exit__(self, *_exc: object) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(60)
        os.close(self._master)

    def spent(self) -> Spent:
        """What it has used until now."""
        folder = Path(f"/proc/{self._process.pid}")
        wakes, screen = 0, 0.0
        for task in (folder / "task").iterdir():
            with suppress(OSError):
                words = (task / "status").read_text().split()
                wakes += int(words[words.index("voluntary_ctxt_switches:") + 1])
                if task.name == folder.name:
                    screen = int((task / "schedstat").read_text().split()[0]) / 1e9
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        return Spent(time.monotonic(), (int(fields[11]) + int(fields[12])) / _TICKS, screen, wakes, self._written)

    def settled(self) -> None:
        """Wait until it has started, and is still."""
        until(lambda: self._written > 0, 60, "the console to be painted")
        before = self.spent().cpu
        for _ in range(60):
            time.sleep(2)
            now = self.spent().cpu
            if now - before < 0.1:
                return
            before = now


def measure(console: Console, what: str, seconds: float) -> None:
    """Print a row."""
    before = console.spent()
    time.sleep(seconds)
    after = console.spent()
    passed = after.at - before.at
    cpu, screen = (after.cpu - before.cpu) / passed, (after.screen - before.screen) / passed
    wakes, written = (after.wakes - before.wakes) / passed, (after.written - before.written) / passed
    print(f"{what:34} {cpu:8.2%} {screen:12.2%} {wakes:11.1f} {written:12,.0f}", flush=True)


@contextmanager
def writing(paths: Sequence[Path]) -> Iterator[None]:
    """Have a line written into each four times a second, while the context lasts."""
    writer = subprocess.Popen([sys.executable, "-c", _WRITER, *map(str, paths)])
    try:
        yield
    finally:
        writer.kill()
        writer.wait()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=10)
    asked = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {COLUMNS}x{LINES}, {asked.seconds:g} s each\n")
    print(f"{'':34} {'CPU':>8} {'main thread':>12} {'wake-ups/s':>11} {'bytes/s':>12}")
    with tempfile.TemporaryDirectory(prefix="idle-") as folder:
        home = Path(folder)
        with Console(home, [sys.executable, "-c", _BARE]) as bare:
            bare.settled()
            measure(bare, "a bare Textual application", asked.seconds)
        jobdeck = str(Path(sys.executable).with_name("jobdeck"))
        with Console(home, [jobdeck]) as console:
            console.settled()
            measure(console, "nothing runs", asked.seconds)
        paths = [home / f"line{number}" for number in range(asked.jobs)]
        for path in paths:
            os.mkfifo(path)
        # Opened for reading and writing: it doesn't end when the writer goes.
        with Console(home, [jobdeck, *(f"exec cat 0<>{shlex.quote(str(path))}" for path in paths)]) as console:
            console.settled()
            measure(console, f"{asked.jobs} jobs, silent", asked.seconds)
            with writing(paths):
                time.sleep(3)
                measure(console, f"{asked.jobs} jobs, 4 lines a second each", asked.seconds)


if __name__ == "__main__":
    main()
