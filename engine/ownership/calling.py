"""How an engine gets at a holder: a new one for a new job, or one that an earlier engine has left (spec 3.4).

Blocks: not for the engine's loop.
"""

import errno
import os
import socket
import sys
import time
from pathlib import Path

from engine.ownership.holding.folder import SOCKET, remove_folder
from engine.ownership.holding.frames import peer
from engine.process.descriptors import above_stdio
from engine.process.launch import DEFAULT_SIGNALS
from engine.store.home import private_folder

_ROOT = Path(__file__).parents[2]
_PROGRAM = "import sys; sys.path.append(sys.argv[1]); from engine.ownership.holder import main; main(sys.argv[2])"
"""Neither site-packages nor the user's PYTHON* variables: it starts twice as fast, and nothing shadows its modules."""
_ORPHAN = '"$@" &'
_ERRORS = "errors"
_CONNECT_SECONDS = 5.0
_REMOVE_SECONDS = 5.0
_LOOK_SECONDS = 0.01
_SOCKET_PATH_BYTES = 100
"""What every system takes of a socket's path."""


class HolderError(Exception):
    """A holder can't be started, or spoken with; the text says why."""


def born(folder: Path) -> socket.socket:
    """Start a holder in this new folder; the socket it is born with.

    It is nobody's child and carries no job's id, so that neither this process's end nor that of a job this process may
    run in is its own.

    Raises:
        HolderError: No interpreter is known, or the folder can't be made.
        OSError: No process or descriptor is left.
    """
    if not sys.executable:
        raise HolderError("no Python interpreter is known to run its holder with (sys.executable is empty)")
    private_folder(folder.parent)
    _make(folder)
    ours, theirs = socket.socketpair()
    kept = above_stdio(theirs.detach())
    words = [sys.executable, "-I", "-S", "-c", _PROGRAM, str(_ROOT), str(folder)]
    try:
        pid = os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", _ORPHAN, "jobdeck", *words],
            {"PATH": os.defpath, "LC_ALL": "C.UTF-8"},
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, str(folder / _ERRORS), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, kept, 3),
            ],
            setsid=True,  # detached-spawn: ok, a holder outlives its engine, and ends when its job's end is collected
            setsigmask=[],
            setsigdef=DEFAULT_SIGNALS,
        )
        os.waitpid(pid, 0)  # the shell, which has put the holder in the background
    except BaseException:
        ours.close()
        remove_folder(str(folder))
        raise
    finally:
        os.close(kept)
    return ours


def _make(folder: Path) -> None:
    """Make the folder; a holder that couldn't start this job otherwise may still be about to remove its own."""
    ends = time.monotonic() + _REMOVE_SECONDS
    while True:
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            if time.monotonic() >= ends:
                raise
            time.sleep(_LOOK_SECONDS)
        else:
            return


def why_it_ended(folder: Path) -> str:
    """What a holder that has ended by itself has said last."""
    try:
        lines = (folder / _ERRORS).read_text("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1] if lines else ""


def reached(folder: Path, holder_pid: int) -> socket.socket:
    """A connection to the holder of this folder, which is that process.

    Raises:
        OSError: There is none, or it doesn't answer.
        HolderError: Somebody else answers.
    """
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        sock.settimeout(_CONNECT_SECONDS)
        _connect(sock, folder)
        pid, uid = peer(sock)
        if uid != os.geteuid() or pid not in (0, holder_pid):
            raise HolderError(f"process {pid} of user {uid} answers in place of the holder {holder_pid}")
    except BaseException:
        sock.close()
        raise
    return sock


def _connect(sock: socket.socket, folder: Path) -> None:
    path = folder / SOCKET
    if len(os.fsencode(path)) <= _SOCKET_PATH_BYTES:
        sock.connect(str(path))
        return
    here = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        through = Path(f"/proc/self/fd/{here}")
        if through.is_dir():
            sock.connect(str(through / SOCKET))
            return
    finally:
        os.close(here)
    import tempfile  # brings much that few need

    with tempfile.TemporaryDirectory(prefix="jobdeck-") as short:
        link = Path(short) / "h"
        link.symlink_to(folder)
        sock.connect(str(link / SOCKET))


def is_alone(error: OSError) -> bool:
    """Does this error of `reached` mean that nobody is there?"""
    return error.errno in (errno.ENOENT, errno.ECONNREFUSED, errno.ENOTDIR)
