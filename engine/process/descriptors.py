"""Descriptors that no job may inherit."""

import fcntl
import os

_ABOVE = 10


def seal_inherited() -> None:
    """Make every descriptor from 3 up close-on-exec: what we inherited must not reach a job (spec 1.2).

    Closed standard descriptors become /dev/null, so that nothing else of ours gets their numbers and is written to.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
    folder = next((f for f in ("/proc/self/fd", "/dev/fd") if os.path.isdir(f)), None)  # noqa: PTH112  pathlib is more than a holder should load
    numbers = [int(name) for name in os.listdir(folder)] if folder else range(3, 256)
    for number in numbers:
        if number >= 3:
            try:
                os.set_inheritable(number, False)
            except OSError:
                continue


def above_stdio(descriptor: int) -> int:
    """Move a descriptor out of 0…9, where a child's own are laid, so that none overwrites another."""
    if descriptor >= _ABOVE:
        return descriptor
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _ABOVE)
    os.close(descriptor)
    return moved


def make_pipe() -> tuple[int, int]:
    """A pipe (read end, write end), both close-on-exec and above the standard descriptors.

    Raises:
        OSError: No descriptors are left.
    """
    read_end, write_end = os.pipe()
    return above_stdio(read_end), above_stdio(write_end)
