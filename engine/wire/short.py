"""One question to an engine and its answer, blocking, without a thread, a loop or a struct: for command lines, which
are short, and would take longer to load all that than to ask."""

import json
import os
import time
from typing import Any

from engine.wire import VERSION
from engine.wire.peer import connect

_READ_BYTES = 65_536


class Failed(RuntimeError):
    """The engine answered with an error; ``data`` says what was raised."""

    def __init__(self, error: dict[str, Any]) -> None:
        super().__init__(str(error.get("message", "")))
        self.data: dict[str, Any] = error.get("data") or {}


class Short:
    """A connection. What comes unasked (events, output) is kept for `next`."""

    def __init__(self, path: str | os.PathLike[str], hello: dict[str, Any], timeout: float = 5.0) -> None:
        """Connect and say hello.

        Raises:
            OSError: Nobody listens there, it doesn't answer in ``timeout`` seconds, or it is another user's.
            Failed: It doesn't take us.
        """
        self.path = os.fspath(path)
        self._received = bytearray()
        self._number = 0
        self._unasked: list[dict[str, Any]] = []
        self._socket = connect(self.path, timeout)
        try:
            self.welcome: dict[str, Any] = self.raw("hello", {"version": VERSION, **hello}, timeout)
        except BaseException:
            self._socket.close()
            raise

    def __enter__(self) -> "Short":
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def ask(self, method: str, params: dict[str, Any], timeout: float | None = None) -> Any:
        """A verb's result as plain data, waiting for it at most ``timeout`` seconds (None: as long as it takes).

        Raises:
            Failed: The verb raised, or its parameters are wrong.
            OSError: The engine has gone, or gave no answer in time.
        """
        return self.raw(method, params, timeout)["value"]

    def raw(self, method: str, params: dict[str, Any], timeout: float | None = None) -> Any:
        """As `ask`, but with the name of the result's type beside it."""
        self._number += 1
        number = self._number
        self._socket.settimeout(timeout)
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            message = self._read(deadline)
            if "method" in message:
                self._unasked.append(message)
            elif message.get("id") in (number, None):
                if "error" in message:
                    raise Failed(message["error"])
                return message["result"]

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Say something that isn't answered."""
        self._socket.settimeout(None)
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def next(self, timeout: float | None = None) -> dict[str, Any]:
        """What came unasked, oldest first: its ``method`` and ``params``.

        Raises:
            OSError: The engine has gone, or nothing came in ``timeout`` seconds.
        """
        if self._unasked:
            return self._unasked.pop(0)
        return self._read(None if timeout is None else time.monotonic() + timeout)

    def _send(self, message: dict[str, Any]) -> None:
        try:
            self._socket.sendall(json.dumps(message).encode() + b"\n")
        except BrokenPipeError as error:
            raise ConnectionResetError("the engine has gone") from error

    def _read(self, deadline: float | None) -> dict[str, Any]:
        seen = 0
        while True:
            end = self._received.find(b"\n", seen)
            if end >= 0:
                line = self._received[:end]
                del self._received[: end + 1]
                message: dict[str, Any] = json.loads(line)
                return message
            seen = len(self._received)
            self._socket.settimeout(None if deadline is None else max(0.001, deadline - time.monotonic()))
            data = self._socket.recv(_READ_BYTES)
            if not data:
                raise ConnectionResetError("the engine has gone")
            self._received += data
