"""A shell on a terminal of its own, driven by keys, whose output is recorded with its times."""

import os
import select
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

from engine.terminal import ByteStream, Screen

COLS, ROWS = 110, 30
PATIENCE = 40.0
"""Seconds that a step waits for what it expects."""
KEY = 0.07
"""Seconds between two keys of a word."""


class Session:
    """A shell on a terminal, what it writes with its times, and the screen that this makes."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._screen = Screen(COLS, ROWS)
        self._stream = ByteStream(self._screen)
        self.events: list[tuple[float, str, str]] = []
        self._begun = time.monotonic()
        self._main, side = os.openpty()
        termios.tcsetwinsize(side, (ROWS, COLS))
        path = os.pathsep.join([str(folder / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
        env = {"PATH": path, "HOME": str(home), "JOBDECK_HOME": str(home / "jobdeck"), "TERM": "xterm-256color"}
        env |= {
            "COLORTERM": "truecolor",
            "LANG": "C.UTF-8",
            "SHELL": "/bin/bash",
            "PS1": r"\[\e[1;34m\]shop\[\e[0m\] $ ",
        }
        opens = 'exec <>"$0" >&0 2>&0; exec "$@"'
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", opens, os.ttyname(side), "bash", "--norc", "--noprofile", "-i"],
            cwd=folder, env=env, start_new_session=True,
        )  # fmt: skip
        self._side = side
        self._unfinished = b""

    def text(self) -> str:
        """What the screen shows."""
        return "\n".join(self._screen.text(y) for y in range(ROWS))

    def until(self, holds: Callable[[str], bool], what: str) -> None:
        """Read until the screen is so."""
        ends = time.monotonic() + PATIENCE
        while not holds(self.text()):
            if time.monotonic() > ends:
                raise SystemExit(f"never saw {what} on:\n{self.text()}")
            self._read(0.02)

    def shows(self, *words: str) -> None:
        """Read until the screen shows all of these."""
        self.until(lambda text: all(word in text for word in words), " and ".join(words))

    def rest(self, seconds: float) -> None:
        """Let the one who looks read."""
        ends = time.monotonic() + seconds
        while (left := ends - time.monotonic()) > 0:
            self._read(left)

    def press(self, *keys: str) -> None:
        """Type keys, one after the other."""
        for key in keys:
            os.write(self._main, key.encode())
            self.rest(KEY)

    def chapter(self, name: str) -> None:
        """A mark that players show."""
        self.events.append((time.monotonic() - self._begun, "m", name))

    def close(self) -> None:
        """Hang up: the console and the shell end by it."""
        os.close(self._main)
        os.close(self._side)
        self._shell.wait(PATIENCE)

    def _read(self, seconds: float) -> None:
        if not select.select([self._main], [], [], seconds)[0]:
            return
        data = self._unfinished + os.read(self._main, 65_536)
        for _ in range(data.count(b"\x1b[?2026$p")):  # a terminal that has synchronized output says so
            os.write(self._main, b"\x1b[?2026;2$y")
        whole = len(data)
        while whole > 0 and len(data) - whole < 4:  # a character may be cut in two
            try:
                text = data[:whole].decode()
                break
            except UnicodeDecodeError:
                whole -= 1
        else:
            whole, text = len(data), data.decode(errors="replace")
        self._unfinished = data[whole:]
        self._stream.feed(text.encode())
        self.events.append((time.monotonic() - self._begun, "o", text))
