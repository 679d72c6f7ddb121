"""Who is at the other end of a Unix socket."""

import os
import socket
import struct
import sys
import time

_AGAIN_SECONDS = 0.01
_LOCAL_PEERCRED = 0x001
_SOL_LOCAL = 0


def peer_uid(connection: socket.socket) -> int:
    """The user whose process connected.

    Raises:
        OSError: The system doesn't say.
    """
    if hasattr(socket, "SO_PEERCRED"):
        data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        _pid, uid, _gid = struct.unpack("3i", data)
        return int(uid)
    if sys.platform == "darwin":
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)  # struct xucred: version, uid, …
        return int(struct.unpack_from("=2I", data)[1])
    raise OSError("this system doesn't say who connected")


def is_ours(connection: socket.socket) -> bool:
    """Is it a process of our own user?"""
    try:
        return peer_uid(connection) == os.geteuid()
    except OSError:
        return False


def connect(path: str | os.PathLike[str], timeout: float) -> socket.socket:
    """A connection to an engine of our own user. Where many stand in line before it, it waits for its turn.

    Raises:
        OSError: Nobody listens there, or nobody took it in ``timeout`` seconds, or it is somebody else's.
    """
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    ends = time.monotonic() + timeout
    try:
        connection.settimeout(timeout)
        while True:
            try:
                connection.connect(os.fspath(path))
                break
            except BlockingIOError:  # the line of those who wait to be accepted is full
                if time.monotonic() >= ends:
                    raise
                time.sleep(_AGAIN_SECONDS)
        if not is_ours(connection):
            raise PermissionError(f"{os.fspath(path)} is another user's: nothing is said to it")
    except BaseException:
        connection.close()
        raise
    return connection
