"""Whose job a process is by its own word: the job's id that it carries in its environment."""

import os
import time
from pathlib import Path

from engine.process.identity import LINUX, Identity, identify
from engine.process.table import Row, Table

JOB_VARIABLE = "JOBDECK_SESSION_ID"
_SETTLED_SECONDS = 2.0
_MARK = JOB_VARIABLE.encode() + b"="
_READINGS = 5
_PAUSE_SECONDS = 0.002
_KERNEL = 2
"""The parent of the kernel's own threads, which have no environment."""


class JobMarks:
    """Which processes carry a job's id in their environment (Linux). Used by the probe thread alone.

    Only processes younger than this one can. An environment is read once, after its process has lived two seconds;
    until then, it may yet ``exec``.
    """

    def __init__(self) -> None:
        self._known: dict[Identity, str] = {}
        ours = identify(os.getpid())
        self._since = ours.start_time if ours is not None else 0
        self._boot_ticks = os.sysconf("SC_CLK_TCK") if LINUX else 1

    def read(self, table: Table) -> dict[str, list[Row]]:
        """The living processes of each job id that is found on this machine."""
        if not LINUX:
            return {}
        settled = (time.clock_gettime(time.CLOCK_BOOTTIME) - _SETTLED_SECONDS) * self._boot_ticks
        known: dict[Identity, str] = {}
        found: dict[str, list[Row]] = {}
        for row in table.rows.values():
            if row.state in "ZX" or row.start_time < self._since:
                continue
            job = self._known.get(row.identity)
            if job is None:
                job = _job_of(row.pid, patient=row.parent != _KERNEL and row.start_time >= settled)
            if row.start_time < settled:
                known[row.identity] = job
            if job:
                found.setdefault(job, []).append(row)
        self._known = known
        return found


def environment_of(pid: int) -> dict[str, str]:
    """The environment a process was started with (Linux); empty if unreadable."""
    try:
        pairs = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    words = (pair.decode("utf-8", "replace").partition("=") for pair in pairs)
    return {name: value for name, _, value in words if name}


def _job_of(pid: int, *, patient: bool) -> str:
    """The job's id in a process's environment. In the middle of an ``exec`` it has none: ask again if ``patient``."""
    data = b""
    for _reading in range(_READINGS if patient else 1):
        try:
            with open(f"/proc/{pid}/environ", "rb", buffering=0) as file:
                data = file.readall() or b""
        except OSError:
            return ""
        if data or not patient:
            break
        time.sleep(_PAUSE_SECONDS)
    names = data.split(b"\0")
    return next((name[len(_MARK) :].decode("utf-8", "replace") for name in names if name.startswith(_MARK)), "")
