"""A job's raw bytes for a program that runs it in the foreground (``jobdeck run``): slow readers slow the job."""

import asyncio
import os
import queue
import threading
import time
from typing import Protocol

from engine.process.child import DirectChild


class Tap(Protocol):
    """Gets a job's raw bytes besides its buffer."""

    stdin: int | None
    """A descriptor that the job may read instead of having no input."""
    apart: bool
    """Give the job's stderr a pipe of its own."""

    def pass_on(self, link: DirectChild, source: str, data: bytes) -> None:
        """``source`` wrote this (empty: stdout, or the one pipe of both). On the engine's loop; must not block."""


class RawTap:
    """Copies a job's streams to descriptors of ours, each through a thread that may block.

    While a thread writes, the job's stream isn't read, so its pipe fills and the job waits as in any shell. When nobody
    reads ours any more, the job's stream is closed and the job gets its SIGPIPE.
    """

    def __init__(self, stdin: int | None, stdout: int, stderr: int) -> None:
        self.stdin = stdin
        self.apart = not _same_file(stdout, stderr)
        """Two streams, or one because both go to the same place and their order counts."""
        self.failure = ""
        """Why output could not be written, other than that nobody reads it."""
        self._targets = {"": stdout, "stderr": stderr}
        self._queues: dict[str, queue.SimpleQueue[tuple[DirectChild, bytes] | None]] = {}
        self._threads: list[threading.Thread] = []

    def pass_on(self, link: DirectChild, source: str, data: bytes) -> None:
        """Write ``data`` out; the stream is paused until that is done. On the engine's loop."""
        waiting = self._queues.get(source)
        if waiting is None:
            waiting = self._queues[source] = queue.SimpleQueue()
            loop = asyncio.get_running_loop()
            thread = threading.Thread(
                target=self._write, args=(loop, source, waiting), name=f"jobdeck-out-{source}", daemon=True
            )
            self._threads.append(thread)
            thread.start()
        reader = link.readers.get(source)
        if reader is not None:
            reader.pause()
        waiting.put((link, data))

    def finish(self) -> None:
        """Nothing more comes: the threads end when all is written (`wait_written`). After the job's end."""
        for waiting in self._queues.values():
            waiting.put(None)

    def wait_written(self, seconds: float) -> bool:
        """Is everything written? Waits for it at most that long."""
        ends = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, ends - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _write(
        self,
        loop: asyncio.AbstractEventLoop,
        source: str,
        waiting: "queue.SimpleQueue[tuple[DirectChild, bytes] | None]",
    ) -> None:
        descriptor = self._targets[source]
        broken = False
        while (item := waiting.get()) is not None:
            link, data = item
            try:
                broken = broken or not _write_all(descriptor, data)
            except OSError as error:
                broken = True
                self.failure = self.failure or f"{source or 'stdout'}: {error.strerror}"
            try:
                loop.call_soon_threadsafe(self._resume, link, source, broken)
            except RuntimeError:
                continue  # the engine has ended; what was read before is still written

    @staticmethod
    def _resume(link: DirectChild, source: str, broken: bool) -> None:
        reader = link.readers.get(source)
        if reader is None or link.closed:
            return
        if broken:
            link.close_output(source)
        else:
            reader.start()


def _write_all(descriptor: int, data: bytes) -> bool:
    """False when nobody reads any more.

    Raises:
        OSError: It can't be written (a full disk).
    """
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            import select

            select.select([], [descriptor], [])
        except BrokenPipeError:
            return False
    return True


def _same_file(one: int, other: int) -> bool:
    try:
        return os.path.sameopenfile(one, other)
    except OSError:
        return False
