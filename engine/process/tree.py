"""The processes of one job, as one look after another finds them: who belongs to it, and who has left it."""

import signal
from collections.abc import Callable, Iterable
from typing import TypeAlias

from engine.process.identity import Identity, is_alive, send_signal, state
from engine.process.probe import Look, Probe
from engine.process.table import Row, command_of
from engine.redact import redact_command
from engine.results import Survivor

_WHY = {
    "D": "it waits in the kernel, for a disk or the network, and dies when that lets it go",
    "T": "it stays stopped after KILL: frozen, or held by a debugger",
    "t": "a debugger holds it",
}


Members: TypeAlias = Callable[[], Iterable[int]]
"""The pids in a job's scope, at this moment."""


def nobody() -> tuple[int, ...]:
    """The members of a scope that isn't there."""
    return ()


def marked_in(look: Look, session_id: str, members: Members) -> list[Row]:
    """Who of a look is a job's by its environment, or by the scope it lives in, whatever it has done to itself."""
    marked = look.marked.get(session_id, [])
    known = {row.pid for row in marked}
    rows = (look.table.rows.get(pid) for pid in members() if pid not in known)
    return [*marked, *(row for row in rows if row is not None and row.state not in "ZX")]


class Tree:
    """What a kill knows of a job's processes.

    A process that carries the job's id, or is among the ``members`` of its scope, but is neither in its session or
    group nor below one that is, has *escaped*: it is named, and a part of the tree only ``with_escaped``.
    """

    def __init__(
        self,
        probe: Probe,
        leader: Identity | None,
        session_id: str,
        known: Iterable[Identity] = (),
        *,
        with_escaped: bool,
        members: Members = nobody,
    ) -> None:
        self._probe = probe
        self._leader = leader
        self._session_id = session_id
        self._with_escaped = with_escaped
        self._members = members
        self._ours = {*known} if leader is None else {leader, *known}
        self._found: set[Identity] = set()
        self._order: dict[Identity, int] = {}
        self._refused: dict[Identity, str] = {}
        self.escaped: dict[Identity, Row] = {}
        """Who has escaped and isn't to be ended."""
        self.parents: set[Identity] = set()
        """Who had living children at the last look."""

    async def look(self) -> list[Identity]:
        """Look again; who is new, children before their parents.

        Raises:
            OSError: The processes of this machine can't be listed.
        """
        look = await self._probe.look()
        roots = [one.pid for one in self._ours if is_alive(one)]
        marked = marked_in(look, self._session_id, self._members)
        if self._with_escaped:
            roots += [row.pid for row in marked]
        rows = look.table.tree(self._leader, marked=roots)
        if not self._with_escaped and (late := self._late_forks(look, marked, rows)):
            rows = look.table.tree(self._leader, marked=[*roots, *late])
        new = [row.identity for row in rows if row.identity not in self._found]
        self._order = {row.identity: place for place, row in enumerate(rows)}
        self._found.update(self._order)
        self._ours.update(self._order)
        parents = {row.parent for row in rows}
        self.parents = {row.identity for row in rows if row.pid in parents}
        return new

    def _late_forks(self, look: Look, marked: list[Row], rows: list[Row]) -> list[int]:
        """Of those outside: who was forked since the first look, by one of the tree that is dead by now?"""
        within = {row.pid for row in rows}
        outside = [row for row in marked if row.pid not in within]
        if not self._found:
            self.escaped = {row.identity: row for row in outside}
            return []
        theirs = {row.identity for row in look.table.below(one.pid for one in self.escaped if is_alive(one))}
        self.escaped.update((row.identity, row) for row in outside if row.identity in theirs)
        return [row.pid for row in outside if row.identity not in theirs]

    def living(self) -> list[Identity]:
        """Who of the tree still runs, children before their parents as the last look saw them."""
        return sorted((one for one in self._ours if is_alive(one)), key=lambda one: self._order.get(one, -1))

    def signal(self, identities: Iterable[Identity], number: int) -> None:
        """Signal each that is still the process it was; who refuses it is remembered for `survivors`."""
        for one in identities:
            try:
                send_signal(one, number)
            except OSError as error:
                self._refused[one] = error.strerror or str(error)

    def resume(self) -> None:
        """Let everyone who is stopped go on."""
        self.signal((one for one in self.living() if state(one) in "T?"), signal.SIGCONT)

    def refused(self, identity: Identity) -> bool:
        """Has the system refused to signal this one?"""
        return identity in self._refused

    def survivors(self) -> list[Survivor]:
        """Who is still alive, and why as far as we know."""
        return [
            Survivor(one.pid, redact_command(command_of(one.pid)), self._refused.get(one) or why)
            for one in self.living()
            for why in [_WHY.get(state(one), "alive after KILL")]
        ]
