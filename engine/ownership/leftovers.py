"""Processes of engines that are gone, which nobody ended: engine and supervisor died together (spec 3.3).

Found by the ledger's rows of dead owners, and by the job's id in a process's environment where no living engine of
this home has such a job. Blocks: not for a loop.
"""

import os
import signal
import time
from collections.abc import Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec

from engine.ownership.ledger import Ledger, Row
from engine.process.identity import Identity, is_alive, send_signal
from engine.process.marks import JOB_VARIABLE, environment_of
from engine.process.ports import listening
from engine.process.table import Table, command_of, read_table
from engine.redact import redact_command
from engine.store.home import home_folder

_YOUNG_SECONDS = 2.0
"""A process so young may belong to a job that isn't in the ledger yet."""


class Leftover(msgspec.Struct, frozen=True):
    """One process that was left behind."""

    identity: Identity
    command: str
    session_id: str
    state: str
    ports: tuple[int, ...]
    """On which it listens."""
    kept: bool
    """A program that is meant to live on (``escape_keep``), or below one."""


def find_leftovers(ledger: Ledger, keep: Sequence[str]) -> list[Leftover]:
    """Who was left behind by dead engines of this home, oldest first.

    Raises:
        OSError: The ledger can't be read.
    """
    table = read_table()
    rows = ledger.rows()
    found = _members(table, [row for row in rows if not _owner_lives(row)])
    theirs = {row.session_id for row in rows if _owner_lives(row)}
    found.update(_carriers(table, theirs))
    for below in table.below(found):
        found.setdefault(below.pid, found.get(below.parent, ""))
    for pid in _ourselves(table):
        found.pop(pid, None)
    kept = {row.pid for row in table.below(pid for pid in found if is_kept(pid, keep))}
    listed = [table.rows[pid] for pid in found if pid in table.rows and table.rows[pid].state not in "ZX"]
    listed.sort(key=lambda one: (one.start_time, one.pid))
    return [
        Leftover(one.identity, command, found[one.pid], one.state, listening(one.pid), one.pid in kept)
        for one in listed
        for command in [redact_command(command_of(one.pid))]
    ]


def resume_and_forget(ledger: Ledger, wait: float) -> int:
    """What an engine does first: let go on whom a dead one left stopped in the middle of a kill, and strike out the
    rows of which nothing is left, and nobody need ask what became of. How many processes of dead engines still run.

    Raises:
        OSError: The ledger can't be read or written.
    """
    rows = ledger.rows()
    if all(_owner_lives(row) for row in rows):
        return 0
    table = read_table()
    left: set[int] = set()
    over: set[Row] = set()
    for row in rows:
        if _owner_lives(row):
            continue
        members = [table.rows[pid] for pid in _members(table, [row])]
        left.update(member.pid for member in members)
        if not members and (row.settled or not row.session_id):
            over.add(row)
        for member in members:
            if member.state == "T":
                with suppress(OSError):
                    send_signal(member.identity, signal.SIGCONT)
    if over:
        ledger.change(lambda now: [row for row in now if row not in over], wait)
    return len(left)


def _owner_lives(row: Row) -> bool:
    return row.this_boot and is_alive(row.owner)


def _members(table: Table, rows: Sequence[Row]) -> dict[int, str]:
    """Living members of the groups and sessions of these rows, and whose they are."""
    found: dict[int, str] = {}
    for row in rows:
        if row.this_boot:
            found.update(
                (one.pid, row.session_id) for one in table.tree(row.identity) if one.start_time >= row.start_time
            )
    return found


def _carriers(table: Table, theirs: set[str]) -> dict[int, str]:
    """Who carries the id of a job that no living engine of this home has."""
    home = home_folder()
    found: dict[int, str] = {}
    ticks = os.sysconf("SC_CLK_TCK")
    young = (time.clock_gettime(time.CLOCK_BOOTTIME) - _YOUNG_SECONDS) * ticks if hasattr(time, "CLOCK_BOOTTIME") else 0
    for one in table.rows.values():
        if one.state in "ZX" or one.start_time > young:
            continue
        environment = environment_of(one.pid)
        session_id = environment.get(JOB_VARIABLE, "")
        if session_id and session_id not in theirs and _home_in(environment) == home:
            found[one.pid] = session_id
    return found


def _home_in(environment: dict[str, str]) -> Path:
    """The home of the engine that started a process with this environment."""
    given = environment.get("JOBDECK_HOME")
    if given:
        return Path(given).expanduser().absolute()
    return home_folder() if "JOBDECK_HOME" not in os.environ else Path()


def _ourselves(table: Table) -> set[int]:
    """This process and all above it: we may run inside a job."""
    found: set[int] = set()
    pid = os.getpid()
    while pid > 1 and pid not in found and pid in table.rows:
        found.add(pid)
        pid = table.rows[pid].parent
    return found


def is_kept(pid: int, keep: Sequence[str]) -> bool:
    """Is this one of the programs that are meant to live on?"""
    line = command_of(pid)
    names = (line, Path(line.split(" ", 1)[0]).name, _short_name(pid))
    return any(fnmatchcase(name, pattern) for name in names for pattern in keep)


def _short_name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").rstrip("\n")
    except OSError:
        return ""
