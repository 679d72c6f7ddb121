"""Many reads in one go: a descriptor is emptied without asking for the interpreter's lock between two reads.

A terminal hands out at most 4 KiB a read. Where another thread is busy, as the screen's is while it paints, each
return from a read of Python's own waits up to a whole switch interval for the lock: a job in sight would be read
five times slower. libc's ``fread`` makes the same reads in one call without it.
"""

import ctypes
import errno
import fcntl
import os
import select

_ABOVE_STDIO = 3
_UNBUFFERED = 2  # _IONBF of glibc and musl: nothing stays in the stream, all goes to where it is wanted

_libc = ctypes.CDLL(None, use_errno=True)
_libc.fdopen.argtypes, _libc.fdopen.restype = (ctypes.c_int, ctypes.c_char_p), ctypes.c_void_p
_libc.setvbuf.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t)
_libc.fread.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_void_p)
_libc.fread.restype = ctypes.c_size_t
_libc.feof.argtypes = _libc.clearerr.argtypes = _libc.fclose.argtypes = (ctypes.c_void_p,)


class Draught:
    """Reads a non-blocking descriptor, through a duplicate of its own that lasts until `close`."""

    def __init__(self, descriptor: int, most: int) -> None:
        """Read at most ``most`` bytes at once.

        Raises:
            OSError: No descriptor is left.
        """
        self._bytes = bytearray(most)
        self._buffer = (ctypes.c_char * most).from_buffer(self._bytes)
        own = self._descriptor = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ABOVE_STDIO)
        self._stream: int | None = _libc.fdopen(own, b"r")
        if not self._stream:
            os.close(own)
            raise OSError(ctypes.get_errno(), "fdopen")
        _libc.setvbuf(self._stream, None, _UNBUFFERED, 0)

    def read(self, most: int) -> bytes:
        """What is there, up to ``most`` bytes; empty at the end of the file.

        Raises:
            OSError: As ``os.read``, BlockingIOError when there is nothing. What was read before is given first.
        """
        if not self._stream:
            raise OSError(errno.EBADF, "closed")
        ctypes.set_errno(0)
        size = _libc.fread(self._buffer, 1, min(most, len(self._bytes)), self._stream)
        if size:
            _libc.clearerr(self._stream)  # whatever ended it ends the next read too
            return bytes(memoryview(self._bytes)[:size])
        number, ended = ctypes.get_errno(), _libc.feof(self._stream)
        _libc.clearerr(self._stream)
        if ended:
            return b""
        raise OSError(number, os.strerror(number))

    def more(self, seconds: float) -> bool:
        """Wait at most so long for something to read, or for the end of the file."""
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1_000))

    def close(self) -> None:
        """Close the duplicate; again is nothing."""
        if self._stream:
            _libc.fclose(self._stream)
            self._stream = None
