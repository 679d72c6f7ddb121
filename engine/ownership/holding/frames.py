"""How an engine and a holder talk: frames of a kind and some byte strings, over a private Unix socket.

The engine begins with HELLO, or on the socket that a holder is born with, with START. Standard library only.
"""

import os
import socket
import struct
from collections import deque
from collections.abc import Iterable

# -- from the engine ---------------------------------------------------------------------------------------------------
HELLO = b"h"
"""Pid and start time of the engine. Answered by HELD or BUSY."""
START = b"s"
"""Folder, ``COLS ROWS`` of its terminal or nothing, ``pipe`` or nothing for its input, the boot's id, its story, in how
many seconds it has to be in its scope, the number of words that lead into that (0: none), the number of its own words,
all these, and its environment as ``NAME=value``. Answered by STARTED, FAILED or NO_SCOPE."""
RUN = b"r"
"""Open the gate."""
STORY = b"y"
"""What the next engine shall know of the job, as the holder need not understand it."""
INPUT = b"i"
"""Bytes for the job, in a write of their own. Answered by TAKEN when they have been written."""
END_INPUT = b"e"
"""Close the job's input once all that waits is written."""
RESIZE = b"z"
"""Columns and rows of the terminal."""
SEEN = b"n"
"""The byte up to which the engine has taken in the output: it may be told of more, and what is older may go. And the
character up to which it has been looked at for somebody, -1 if for nobody."""
FLUSH = b"f"
"""Take all that the job has written. Answered by FLUSHED."""
CLOSE = b"c"
"""The job has ended: read its output no more."""
COLLECTED = b"d"
"""Its end is recorded elsewhere: forget all."""

# -- from the holder ---------------------------------------------------------------------------------------------------
STARTED = b"S"
"""As `HELD`: the job stands behind its gate."""
FAILED = b"F"
"""The error's number and text: nothing runs."""
NO_SCOPE = b"N"
"""Why it couldn't be brought into its scope: nothing runs."""
HELD = b"H"
"""How the job stands, see `STANDING`. With a terminal, its master comes along."""
BUSY = b"B"
"""Pid and start time of the living engine that has it."""
MORE = b"M"
"""Up to this byte the log can be read; said again only after SEEN."""
DATA = b"D"
"""A byte's number, and what the job wrote from there on: the disk doesn't take it."""
TAKEN = b"T"
"""So many bytes of input have been written."""
INPUT_CLOSED = b"I"
"""Nobody reads the job's input any more."""
EXIT = b"X"
"""The exit code (-N: signal N), when, and where its output ended."""
FLUSHED = b"L"
"""Up to this byte the job had written."""
TROUBLE = b"t"
"""A text for the operator."""

STANDING = (
    "pid",
    "started",
    "holder_pid",
    "holder_started",
    "output_name",
    "cols",
    "rows",
    "end",
    "end_char",
    "end_feeds",
    "end_pending",
    "seen",
    "looked",
    "input",
    "input_waiting",
    "status",
    "exited_at",
    "story",
)
"""The fields of STARTED and HELD, in order. ``end`` is how far the log can be read, with what stands before it (see
`log.Start`). ``cols`` is 0 for pipes; ``input`` is ``none``, ``open`` or ``closed``;
``status`` is empty while the job runs."""

_HEADER = struct.Struct("!cI")
_SIZE = struct.Struct("!I")
_LARGEST = 64 << 20
_READ = 262_144
_DESCRIPTORS = 4

Frame = tuple[bytes, list[bytes]]


class Garbage(ValueError):
    """What came is no frame: nobody of ours is at the other end."""


def frame(kind: bytes, *fields: bytes | int | float) -> bytes:
    """One frame; numbers go as text."""
    parts = [field if isinstance(field, bytes) else repr(field).encode() for field in fields]
    body = b"".join([piece for part in parts for piece in (_SIZE.pack(len(part)), part)])
    return _HEADER.pack(kind, len(body)) + body


class Line:
    """One connection: frames that came, and bytes that wait to be sent. Never blocks."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.descriptors: list[int] = []
        """Those that came along with frames, for whoever handles them."""
        self._came = bytearray()
        self._waiting: deque[tuple[bytes, list[int]]] = deque()
        sock.setblocking(False)

    def fileno(self) -> int:
        """The socket's descriptor."""
        return self.sock.fileno()

    @property
    def begun(self) -> bytes:
        """The kind of a frame that has begun to come; empty when none has."""
        return bytes(self._came[:1])

    def receive(self) -> list[Frame] | None:
        """The frames that are whole by now; None when the other side is gone.

        Raises:
            Garbage: What came is none.
        """
        try:
            data, descriptors, _flags, _from = socket.recv_fds(self.sock, _READ, _DESCRIPTORS)
        except (BlockingIOError, InterruptedError):
            return []
        except OSError:
            return None
        self.descriptors += descriptors
        if not data:
            return None
        self._came += data
        return list(self._frames())

    def _frames(self) -> Iterable[Frame]:
        while len(self._came) >= _HEADER.size:
            kind, size = _HEADER.unpack_from(self._came)
            if size > _LARGEST:
                raise Garbage(f"a frame of {size} bytes")
            end = _HEADER.size + size
            if len(self._came) < end:
                return
            body = bytes(self._came[_HEADER.size : end])
            del self._came[:end]
            yield kind, _fields(body)

    def send(self, data: bytes, descriptors: Iterable[int] = ()) -> None:
        """Send this after all that waits; the descriptors must stay open until it is gone (`flush` is true)."""
        self._waiting.append((data, [*descriptors]))
        self.flush()

    def flush(self) -> bool:
        """Send what waits, as much as goes; True when nothing waits any more. A dead line takes everything."""
        while self._waiting:
            data, descriptors = self._waiting[0]
            try:
                sent = socket.send_fds(self.sock, [data], descriptors) if descriptors else self.sock.send(data)
            except (BlockingIOError, InterruptedError):
                return False
            except OSError:
                self._waiting.clear()
                return True
            self._waiting.popleft()
            if sent < len(data):
                self._waiting.appendleft((data[sent:], []))
        return True

    @property
    def waits(self) -> bool:
        """Is there something left to send?"""
        return bool(self._waiting)

    def close(self) -> None:
        """Hang up; descriptors that nobody has taken are closed."""
        for descriptor in self.descriptors:
            os.close(descriptor)
        self.descriptors.clear()
        self.sock.close()


def _fields(body: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(body):
        if len(body) - at < _SIZE.size:
            raise Garbage("a frame that is cut off")
        (size,) = _SIZE.unpack_from(body, at)
        at += _SIZE.size
        if len(body) - at < size:
            raise Garbage("a field that is cut off")
        found.append(body[at : at + size])
        at += size
    return found


def peer(sock: socket.socket) -> tuple[int, int]:
    """Pid and uid of the process at the other end; where the system doesn't tell: 0 and our own."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0, os.geteuid()
    raw = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid, uid, _gid = struct.unpack("3i", raw)
    return pid, uid
