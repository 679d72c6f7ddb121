"""Reading files that people have written: no pipe that would never answer, nothing without an end."""

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 4 * 1024**2
"""A file of more is none that somebody has written."""


def read_regular(path: Path) -> bytes:
    """What is in a file, without the mark of UTF-8 that some editors put before it.

    Raises:
        OSError: It isn't there, can't be read, is no file (a folder, a pipe, a device), or has more than `MOST_BYTES`.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        what = "it is a folder" if stat.S_ISDIR(mode) else "it is no file"
        raise OSError(errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL, what, str(path))
    with open(descriptor, "rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it has more than {MOST_BYTES >> 20} MiB", str(path))
    return data.removeprefix(b"\xef\xbb\xbf")
