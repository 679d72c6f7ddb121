"""The wire's thread: one loop that carries the lines of all remote engines, in and out."""

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from engine.wire.messages import LONGEST_LINE
from engine.wire.peer import connect

_CONNECT_SECONDS = 5.0


class Line:
    """One connection. `send` and `close` on any thread."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        connection: socket.socket,
        came: Callable[[bytes], None],
        lost: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._connection = connection
        self._came = came
        self._lost = lost
        self._transport: asyncio.Transport | None = None
        self._closed = False
        self._early: list[bytes] = []
        """What was sent before the connection stood."""

    def send(self, data: bytes) -> None:
        """Send a line; nothing happens when the other end is gone."""
        self._post(lambda: self._write(data))

    def _write(self, data: bytes) -> None:
        if self._transport is not None:
            self._transport.write(data)
        else:
            self._early.append(data)

    def close(self) -> None:
        """Hang up, once what was sent has gone out."""
        self._post(lambda: self._transport.close() if self._transport is not None else None)

    def _post(self, do: Callable[[], None]) -> None:
        if not self._closed:
            self._loop.call_soon_threadsafe(do)

    def open(self) -> None:
        """Begin, on the wire's thread."""
        self._loop.create_task(self._connect())

    async def _connect(self) -> None:
        try:
            self._transport, _ = await self._loop.create_unix_connection(lambda: _Reading(self), sock=self._connection)
            self._transport.write(b"".join(self._early))
            self._early.clear()
        except OSError:
            self.ended()

    def take(self, line: bytes) -> None:
        """A line came."""
        try:
            self._came(line)
        except Exception:  # noqa: BLE001  an engine that says what we can't read is of no use
            if self._transport is not None:
                self._transport.abort()

    def ended(self) -> None:
        """The other end is gone."""
        if not self._closed:
            self._closed = True
            self._lost()


class _Reading(asyncio.Protocol):
    def __init__(self, line: Line) -> None:
        self._line = line
        self._received = bytearray()
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        *lines, rest = self._received.split(b"\n")
        self._received = bytearray(rest)
        for line in lines:
            self._line.take(bytes(line))
        if len(self._received) > 2 * LONGEST_LINE and self._transport is not None:
            self._transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._line.ended()


class _Wire:
    """The thread, begun with the first line and there until the process ends."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = 0

    def loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None or self._pid != os.getpid():
                self._loop, self._pid = asyncio.new_event_loop(), os.getpid()
                threading.Thread(target=self._loop.run_forever, name="jobdeck-wire", daemon=True).start()
            return self._loop


_wire = _Wire()


def wire_loop() -> asyncio.AbstractEventLoop:
    """The wire's loop, on its thread."""
    return _wire.loop()


def open_line(path: Path, came: Callable[[bytes], None], lost: Callable[[], None]) -> Line:
    """Connect to an engine of our own user.

    Raises:
        OSError: Nobody listens there, or it is somebody else's.
    """
    connection = connect(path, _CONNECT_SECONDS)
    connection.setblocking(False)
    loop = _wire.loop()
    line = Line(loop, connection, came, lost)
    loop.call_soon_threadsafe(line.open)
    return line
