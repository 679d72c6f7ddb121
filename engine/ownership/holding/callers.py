"""Who calls at a holder's socket: engines of our own user that say so; others are hung up on. Standard library only."""

import os
import socket
from collections.abc import Callable

from engine.ownership.holding import frames
from engine.ownership.holding.folder import SOCKET
from engine.ownership.holding.frames import Frame, Garbage, Line, peer
from engine.ownership.holding.loop import READ, Loop

_MOST = 8

Heard = Callable[[Line, tuple[int, float], list[Frame]], None]
"""An engine (pid, start time) is on this line, and has sent these frames already."""


class Callers:
    """Listens in the current folder.

    Raises:
        OSError: The socket can't be made.
    """

    def __init__(self, loop: Loop, heard: Heard) -> None:
        self._loop = loop
        self._heard = heard
        self._lines: list[Line] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o077)  # for a moment: the job shall have what its engine has
        try:
            self._socket.bind(SOCKET)  # relative: the path of a socket may not be long
        finally:
            os.umask(before)
        os.chmod(SOCKET, 0o600)  # noqa: PTH101  no pathlib here
        self._socket.listen(_MOST)
        self._socket.setblocking(False)
        loop.watch(self._socket, READ, self._called)

    def _called(self, _events: int) -> None:
        try:
            sock, _address = self._socket.accept()
        except OSError:
            return
        if peer(sock)[1] != os.geteuid():
            sock.close()
            return
        line = Line(sock)
        self._lines.append(line)
        self._loop.watch(line, READ, lambda _events: self._ready(line))
        if len(self._lines) > _MOST:
            self._hang_up(self._lines[0])

    def _ready(self, line: Line) -> None:
        try:
            found = line.receive()
            if found == [] and line.begun in (b"", frames.HELLO):
                return
            if not found or found[0][0] != frames.HELLO:
                raise Garbage("not one of ours")
            caller = int(found[0][1][0]), float(found[0][1][1])
            if peer(line.sock)[0] not in (0, caller[0]):
                raise Garbage("it says it is another process")
        except (ValueError, IndexError):
            self._hang_up(line)
            return
        self._loop.unwatch(line)
        self._lines.remove(line)
        self._heard(line, caller, found[1:])

    def _hang_up(self, line: Line) -> None:
        self._loop.unwatch(line)
        self._lines.remove(line)
        line.close()
