"""A job's raw bytes for a program that runs it in the foreground (``jobdeck run``): slow readers slow the job."""

import asyncio
import os
import queue
import threading

from engine.process.child import DirectChild


class RawTap:
    """Copies a job's streams to descriptors of ours, each through a thread that may block.

    While a thread writes, the job's stream isn't read, so its pipe fills and the job waits as in any shell. When nobody
    reads ours any more, the job's stream is closed and the job gets its SIGPIPE.
    """

    def __init__(self, stdin: int | None, stdout: int, stderr: int) -> None:
        self.stdin = stdin
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
        """Wait until all that came is written. On the caller's thread, after the job's end."""
        for waiting in self._queues.values():
            waiting.put(None)
        for thread in self._threads:
            thread.join()

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
            broken = broken or not _write_all(descriptor, data)
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
    """False when nobody reads any more."""
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            import select

            select.select([], [descriptor], [])
        except OSError:
            return False
    return True
