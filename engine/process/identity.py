"""Who a process is: its pid together with the kernel's start time of it (spec 1.8)."""

import os
import signal
import sys

import msgspec

LINUX = sys.platform.startswith("linux")


class Identity(msgspec.Struct, frozen=True):
    """A pid and its start time: clock ticks since boot on Linux, seconds since the epoch elsewhere."""

    pid: int
    start_time: float


class SignalRefused(PermissionError):
    """A signal that must never be sent: to pid 0 or 1, to ourselves or to our own group."""


def read_stat(pid: int) -> list[str] | None:
    """Fields 3… of ``/proc/PID/stat`` (state, ppid, pgrp, session, …), None when there is no such process.

    The command in field 2 may hold blanks and brackets, so the split starts after the last ``)``.
    """
    try:
        file = os.open(f"/proc/{pid}/stat", os.O_RDONLY | os.O_CLOEXEC)  # a file object's calls would double the time
    except FileNotFoundError:
        return None
    try:
        raw = os.read(file, 4096)
    except ProcessLookupError:
        return None
    finally:
        os.close(file)
    return raw[raw.rfind(b")") + 2 :].decode("ascii", "replace").split()


def identify(pid: int) -> Identity | None:
    """The identity of a living or zombie process; None when there is none."""
    if LINUX:
        fields = read_stat(pid)
        return None if fields is None else Identity(pid, int(fields[19]))
    import psutil

    try:
        return Identity(pid, psutil.Process(pid).create_time())
    except psutil.NoSuchProcess:
        return None


def state_of(fields: list[str]) -> str:
    """The state letter in what `read_stat` gives; ``R`` for a process whose first thread has ended before the others.

    The kernel shows such a process as a zombie, but it runs.
    """
    return "R" if fields[0] == "Z" and int(fields[17]) > 1 else fields[0]


def is_alive(identity: Identity) -> bool:
    """Does this very process still run? A zombie is dead; a recycled pid is somebody else; unprovable is alive."""
    if LINUX:
        try:
            fields = read_stat(identity.pid)
        except OSError:
            return True
        if fields is None:
            return _hidden(identity.pid)
        return state_of(fields) not in "ZX" and int(fields[19]) == identity.start_time
    import psutil

    try:
        process = psutil.Process(identity.pid)
        same = process.create_time() == identity.start_time
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def _hidden(pid: int) -> bool:
    """Is there a process of that number that /proc doesn't show (``hidepid``)? It can't be proved to be another one."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return False  # it began after /proc was read: a stranger


def state(identity: Identity) -> str:
    """How this very process stands: ``T`` stopped, ``Z`` a zombie, ``D`` waiting in the kernel …; empty when gone."""
    if LINUX:
        try:
            fields = read_stat(identity.pid)
        except OSError:
            return "?"
        return state_of(fields) if fields is not None and int(fields[19]) == identity.start_time else ""
    import psutil

    try:
        process = psutil.Process(identity.pid)
        if process.create_time() != identity.start_time:
            return ""
        return {psutil.STATUS_STOPPED: "T", psutil.STATUS_ZOMBIE: "Z"}.get(process.status(), "S")
    except psutil.NoSuchProcess:
        return ""
    except psutil.AccessDenied:
        return "?"


def _refuse_ours(pid: int) -> None:
    if pid <= 1 or pid == os.getpid():
        raise SignalRefused(f"pid {pid} is never signalled")


def send_signal(identity: Identity, number: int) -> bool:
    """Signal exactly this process; False when it is gone.

    On Linux through a pidfd that is checked against the start time *after* it was opened, so that the number can't
    have been recycled in between.

    Raises:
        SignalRefused: The pid is 0, 1 or our own.
        PermissionError: The kernel refuses.
    """
    _refuse_ours(identity.pid)
    if not LINUX:
        if identify(identity.pid) != identity:
            return False
        try:
            os.kill(identity.pid, number)
        except ProcessLookupError:
            return False
        return True
    try:
        handle = os.pidfd_open(identity.pid)
    except ProcessLookupError:
        return False
    try:
        if identify(identity.pid) != identity:
            return False
        signal.pidfd_send_signal(handle, number)
    except ProcessLookupError:
        return False
    finally:
        os.close(handle)
    return True


def send_group_signal(leader: Identity, number: int) -> bool:
    """Signal the process group of a job, whose leader is (or was) ``leader``; False when it is empty or recycled.

    The leader's identity is checked first. While it is a zombie of ours, its number can't be reused.

    Raises:
        SignalRefused: The group is ours.
        PermissionError: The kernel refuses.
    """
    _refuse_ours(leader.pid)
    if leader.pid == os.getpgrp():
        raise SignalRefused("our own process group is never signalled")
    if identify(leader.pid) != leader:
        return False
    try:
        os.killpg(leader.pid, number)
    except ProcessLookupError:
        return False
    return True
