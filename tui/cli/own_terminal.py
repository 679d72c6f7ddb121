"""The terminal that ``jobdeck run --pty`` itself runs in: raw while the job has it, and put back after."""

import os
import termios
import threading
import time
import tty
from typing import Any

from engine.api.host import Engine
from engine.results import Refused

_DEFAULT_SIZE = (120, 30)
_READ_BYTES = 4096
_RETRY_SECONDS = 0.02


class OwnTerminal:
    """Passes our stdin on to a PTY job. A context manager; does nothing unless ``active``."""

    def __init__(self, engine: Engine, session_id: str, *, active: bool) -> None:
        self._engine = engine
        self._session_id = session_id
        self._active = active
        self._before: list[Any] | None = None

    def __enter__(self) -> "OwnTerminal":
        if self._active:
            if os.isatty(0):
                self._before = termios.tcgetattr(0)
                tty.setraw(0)
            threading.Thread(target=self._pass_on, name="jobdeck-in", daemon=True).start()
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._before is not None:
            termios.tcsetattr(0, termios.TCSANOW, self._before)

    @staticmethod
    def size() -> tuple[int, int]:
        """Columns and rows of the terminal that we write to; 120×30 where there is none."""
        for descriptor in (1, 0, 2):
            try:
                size = os.get_terminal_size(descriptor)
            except OSError:
                continue
            if size.columns and size.lines:
                return size.columns, size.lines
        return _DEFAULT_SIZE

    def _pass_on(self) -> None:
        while True:
            try:
                data = os.read(0, _READ_BYTES)
            except OSError:
                return
            if not data:
                if isinstance(self._engine.close(self._session_id).result(), Refused):
                    self._type(b"\x04")  # a program that reads keys knows this one
                return
            self._type(data)

    def _type(self, data: bytes) -> None:
        text = data.decode("utf-8", "surrogateescape")
        while isinstance(answer := self._engine.type_in(self._session_id, text).result(), Refused) and answer.retry:
            time.sleep(_RETRY_SECONDS)  # the job isn't reading: so don't we, as in any shell
