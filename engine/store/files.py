"""Files of state: a reader sees the old or the new, whole; what can't be read is never taken for empty (spec 3)."""

import errno
import os
import stat
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
FileTrouble = Callable[[str], object]
"""Told in words of a file that couldn't be read."""

_TEMPORARY = ".tmp"
_NOT_TO_BE_READ = (errno.EACCES, errno.EPERM, errno.EINVAL, errno.EISDIR, errno.ENXIO, errno.ELOOP)
"""A folder, a pipe, a socket, a link to itself, somebody else's: reading it again gives the same."""


def storable(text: str) -> str:
    """The text without halves of surrogate pairs, which a file of ours can't hold: a file name may have some."""
    return text.encode("utf-8", "backslashreplace").decode()


def write_whole(
    path: Path,
    data: bytes,
    *,
    durable: bool = True,
    guard: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> None:
    """Replace a file, or make it, with mode 0600. It is on the disk when this returns.

    Not ``durable``: it is as whole to every reader, and outlives our death but not the machine's; 20 times faster.
    ``guard`` is entered for the moment in which the new takes the old one's place, and may raise instead.

    Raises:
        OSError: It can't be written; what was there before is untouched.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}{_TEMPORARY}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            if durable:
                os.fsync(descriptor)
        with guard():
            temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if durable:
        sync_folder(path.parent)


def remove(path: Path) -> None:
    """Remove a file for good; nothing happens if there is none.

    Raises:
        OSError: It can't be removed.
    """
    path.unlink(missing_ok=True)
    sync_folder(path.parent)


def read_file(path: Path) -> bytes:
    """What is in a file. Never waits for somebody who writes: only a regular file is read.

    Raises:
        OSError: It isn't there, can't be read, or is no file (a folder, a pipe, a device).
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file", str(path))
        return file.read()


def read_whole(path: Path, parse: Callable[[bytes], T], report: FileTrouble) -> T | None:
    """What ``parse`` makes of a file; None if there is none.

    One that can't be parsed (``parse`` raises `ValueError`) is moved aside as ``NAME.corrupt-TIME``, told to
    ``report``, and None.

    Raises:
        OSError: It is there and can't be read, or not moved aside.
    """
    try:
        data = read_file(path)
    except FileNotFoundError:
        return None
    try:
        return parse(data)
    except ValueError as error:
        _set_aside(path, str(error), report)
        return None


def read_or_set_aside(path: Path, parse: Callable[[bytes], T], report: FileTrouble) -> T | None:
    """As `read_whole`; what is no file, or not ours to read, is moved aside too, so that a new one can take its place.

    Raises:
        OSError: The disk fails, or it can't be moved aside.
    """
    try:
        return read_whole(path, parse, report)
    except OSError as error:
        if error.errno not in _NOT_TO_BE_READ:
            raise
        _set_aside(path, error.strerror or str(error), report)
        return None


def sweep(folder: Path) -> None:
    """Remove temporary files that dead processes left in a folder. Never raises."""
    with suppress(OSError):
        for path in folder.glob(f".*{_TEMPORARY}"):
            writer = path.name.removesuffix(_TEMPORARY).split(".")[-2]
            if writer.isdigit() and not _runs(int(writer)):
                path.unlink(missing_ok=True)


def _set_aside(path: Path, why: str, report: FileTrouble) -> None:
    aside = aside_name(path)
    path.rename(aside)
    sync_folder(path.parent)
    report(f"{path} can't be read ({why}); it is kept as {aside.name}")


def aside_name(path: Path) -> Path:
    """Where to keep a file that can't be read: ``NAME.corrupt-TIME`` beside it, a name that isn't taken."""
    stamp = time.strftime("%Y%m%dT%H%M%S")
    aside = path.with_name(f"{path.name}.corrupt-{stamp}")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.corrupt-{stamp}-{number}")
    return aside


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk.

    Raises:
        OSError: It can't be opened or synced.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
