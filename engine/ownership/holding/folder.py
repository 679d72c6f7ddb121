"""What a holder leaves in its folder beside the log: who it is, and how its job ended. Standard library only."""

import os

SOCKET = "socket"
_HOLDER = "holder"
_EXIT = "exit"


class Noted:
    """Who holds which job, and in which run of the machine."""

    def __init__(self, holder_pid: int, holder_start: float, pid: int, start_time: float, boot: str) -> None:
        self.holder_pid = holder_pid
        self.holder_start = holder_start
        self.pid = pid
        self.start_time = start_time
        self.boot = boot


def write_holder(holder_pid: int, holder_start: float, pid: int, start_time: float, boot: bytes) -> None:
    """Note who holds which job, in the current folder."""
    _write_whole(_HOLDER, f"{holder_pid} {holder_start!r} {pid} {start_time!r} {boot.decode('ascii', 'replace')}\n")


def read_holder(folder: str) -> Noted | None:
    """Who holds the job of a folder; None where nothing ran yet."""
    try:
        with open(os.path.join(folder, _HOLDER), encoding="ascii") as file:
            words = file.read().split()
        return Noted(int(words[0]), float(words[1]), int(words[2]), float(words[3]), "".join(words[4:5]))
    except (OSError, ValueError, IndexError):
        return None


def write_exit(status: int, at: float) -> None:
    """Note how and when the job ended, in the current folder."""
    _write_whole(_EXIT, f"{status} {at!r}\n")


def read_exit(folder: str) -> tuple[int, float] | None:
    """How and when the job of a folder ended, if its holder saw that."""
    try:
        with open(os.path.join(folder, _EXIT), encoding="ascii") as file:
            status, at = file.read().split()
        return int(status), float(at)
    except (OSError, ValueError):
        return None


def remove_folder(folder: str = "") -> None:
    """Remove a holder's folder, the current one if none is named, as far as that goes."""
    folder = folder or os.getcwd()  # noqa: PTH109
    try:
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))  # noqa: PTH108
        os.rmdir(folder)  # noqa: PTH106
    except OSError:
        return


def _write_whole(name: str, text: str) -> None:
    temporary = f".{name}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(temporary, name)  # noqa: PTH105
    here = os.open(".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(here)
    finally:
        os.close(here)
