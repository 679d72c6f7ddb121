"""Who we are as the holder of a lease, and whether another holder's process is gone for good (spec 3.6)."""

import os
from typing import NamedTuple

from engine.ownership.ledger import boot_id
from engine.process.identity import Identity, identify, is_alive


class Claimant(NamedTuple):
    """The holder of a lease, as it is written into the database.

    A process is known by pid and start time within one run of a machine and one namespace of pids; two engines of one
    process by the random part.
    """

    host: str
    boot: str
    """Which run of the machine; empty where it doesn't say."""
    namespace: str
    """Of pids: containers of one machine number their processes each for itself."""
    pid: int
    start_time: float
    salt: str

    def __str__(self) -> str:
        return f"{self.host}/{self.boot}/{self.namespace}/{self.pid}/{self.start_time!r}/{self.salt}"

    @property
    def identity(self) -> Identity:
        """The process."""
        return Identity(self.pid, self.start_time)

    @property
    def local(self) -> bool:
        """Is it a process that we can see, if it lives?"""
        return (self.host, self.boot, self.namespace) == _here()

    @property
    def dead(self) -> bool:
        """Is its process gone for good? False where that can't be told from here."""
        host, boot, _namespace = _here()
        if self.host == host and boot and self.boot and self.boot != boot:
            return True  # it ended with the machine
        return self.local and not is_alive(self.identity)

    @property
    def words(self) -> str:
        """For people: ``process 4711``, with its machine if that isn't ours."""
        return f"process {self.pid}" + ("" if self.local else f" on {self.host}")


def ourselves() -> Claimant:
    """This process as a holder, another one each time."""
    us = identify(os.getpid()) or Identity(os.getpid(), 0)
    return Claimant(*_here(), us.pid, us.start_time, os.urandom(6).hex())


def claimant(holder: str) -> Claimant | None:
    """Who that is; None if it isn't a holder as we write them."""
    parts = holder.rsplit("/", 5)
    try:
        host, boot, namespace, pid, start_time, salt = parts
        return Claimant(host, boot, namespace, int(pid), float(start_time), salt)
    except ValueError:
        return None


def is_dead(holder: str) -> bool:
    """Is the process of that holder gone for good? False where that can't be told."""
    found = claimant(holder)
    return found is not None and found.dead


def _here() -> tuple[str, str, str]:
    return os.uname().nodename, boot_id(), _pid_namespace()


def _pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return ""
