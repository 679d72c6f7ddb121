"""One run of the supervisor's script: its process, and the pipe to it."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from engine.process.descriptors import above_stdio, make_pipe
from engine.process.identity import LINUX, identify

_SHELL = "/bin/sh"
_DEFAULT_SIGNALS = sorted(set(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP})


class Script:
    """Started with the object. ``on_death`` is called on the loop when it has ended (Linux)."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        path: Path,
        tenths: int,
        keep: Sequence[str],
        on_death: Callable[["Script"], None],
    ) -> None:
        self._loop = loop
        self._on_death = on_death
        self._waiting = b""
        self._status: int | None = None
        self._pidfd = -1
        self._started = time.monotonic()
        read_end, self._pipe = make_pipe()
        ours = identify(os.getpid())
        began = int(ours.start_time) if LINUX and ours is not None else 0
        try:
            self.pid = os.posix_spawn(
                _SHELL,
                ["sh", str(path), str(os.getpgrp()), str(tenths), str(began), *keep],
                {"PATH": os.environ.get("PATH", os.defpath)},
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, read_end, 0),
                    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                    (os.POSIX_SPAWN_DUP2, 1, 2),
                ],
                setsid=True,  # detached-spawn: ok, it must outlive us and dies by our pipe's end
                setsigmask=[],
                setsigdef=_DEFAULT_SIGNALS,
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(read_end)
        os.set_blocking(self._pipe, False)
        if LINUX:
            self._watch()

    def _watch(self) -> None:
        try:
            self._pidfd = above_stdio(os.pidfd_open(self.pid))
        except OSError:
            return  # gone already, or no descriptor left: the next line tells
        self._loop.add_reader(self._pidfd, self._on_death, self)

    @property
    def age(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._started

    def send(self, line: str) -> bool:
        """Tell it something, in a while if it doesn't read; False if nobody is there to read."""
        self._waiting += line.encode()
        return self._flush()

    def _flush(self) -> bool:
        while self._waiting:
            try:
                sent = os.write(self._pipe, self._waiting)
            except BlockingIOError:
                self._loop.add_writer(self._pipe, self._flush)
                return True
            except OSError:
                self._loop.remove_writer(self._pipe)
                return False
            self._waiting = self._waiting[sent:]
        self._loop.remove_writer(self._pipe)
        return True

    def let_go(self) -> None:
        """Close the pipe: it ends what it was told of and exits. Safe to call twice."""
        if self._pipe >= 0:
            self._loop.remove_writer(self._pipe)
            os.close(self._pipe)
            self._pipe = -1

    def reap(self) -> int | None:
        """Its exit code, or -N for death by signal N; None while it runs."""
        if self._status is None:
            try:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = self.pid, 0  # somebody else did, or SIGCHLD is ignored in this process
            if pid == 0:
                return None
            self._status = os.waitstatus_to_exitcode(status)
            if self._pidfd >= 0:
                self._loop.remove_reader(self._pidfd)
                os.close(self._pidfd)
                self._pidfd = -1
        return self._status

    def end(self) -> None:
        """It reads no more, so it is of no use: see to it that it is dead."""
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)  # an unreaped child of ours: its number is nobody else's
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)

    def forked(self) -> None:
        """In a forked child of ours: let go of the pipe, without touching the loop that both know."""
        for descriptor in (self._pipe, self._pidfd):
            if descriptor >= 0:
                os.close(descriptor)
        self._pipe = self._pidfd = -1
