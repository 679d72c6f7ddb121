"""What dies with its owner: `spawn_owned` is the one way to start a child that lives on, the rest adopts groups that
something else started (spec 3.3)."""

import asyncio
import contextlib
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from engine.config import Settings
from engine.ownership.bookkeeper import Bookkeeper, Once, at_once
from engine.ownership.ledger import About, Ledger, Row, boot_id
from engine.ownership.supervisor import Supervisor
from engine.process.child import DirectChild
from engine.process.end_watch import EndWatches
from engine.process.identity import Identity, SignalRefused, identify
from engine.process.probe import Probe
from engine.store.files import storable

if TYPE_CHECKING:
    from engine.ownership.held import Held
    from engine.ownership.held_link import HeldLink

_ADOPTED = "adopted"


class Ownership:
    """All that this engine owns: told to the supervisor and written into the ledger. On the engine's loop alone."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        settings: Settings,
        home: Path,
        *,
        probe: Probe,
        ends: EndWatches,
        notice: Callable[[str], None],
        trouble: Callable[[str, BaseException | None], None],
    ) -> None:
        self._loop = loop
        self._settings = settings
        self._probe = probe
        self._ends = ends
        self._trouble = trouble
        self._boot = boot_id()
        self._owner = identify(os.getpid()) or Identity(os.getpid(), 0)
        self._adopted: dict[int, Identity] = {}
        self._looks: set[asyncio.Task[None]] = set()
        self.supervisor = Supervisor(loop, settings, notice)

        def report(what: str, error: BaseException | None = None) -> None:
            with contextlib.suppress(RuntimeError):  # the engine has shut down
                loop.call_soon_threadsafe(trouble, what, error)

        self.ledger = Ledger(home, report)
        self._books = Bookkeeper(self.ledger, settings.ledger_wait_seconds, report)

    async def spawn_owned(
        self,
        start: Callable[[], DirectChild],
        about: About,
        begin: Callable[[DirectChild], None],
    ) -> bool:
        """Start a child behind its gate, make it known to all who must know of it, and let it run.

        ``begin`` is called last, in one step of the loop with the opening of the gate. If anything fails nothing has
        run and nothing is left. False: its row isn't in the ledger yet, because the disk or another process hangs.

        Raises:
            OSError: No process or descriptor is left.
            ScopeError: It couldn't be brought into the scope that it was to run in.
        """
        link = start()
        try:
            self.supervisor.register(link.identity.pid, about.session_id, link.identity.start_time)
            recorded = await self._record(self._row(link.identity, about))
            await link.stand()
            begin(link)
            link.run()
        except BaseException:
            self.disown(link.identity.pid)
            link.cancel()
            raise
        return recorded

    async def spawn_held(
        self,
        start: "Callable[[], Awaitable[HeldLink]]",
        about: About,
        begin: "Callable[[HeldLink], None]",
    ) -> bool:
        """As `spawn_owned`, for a job that outlives us: its owner is its holder, and the supervisor isn't told of it.

        Raises:
            OSError: It can't be started.
        """
        link = await start()
        try:
            row = self._row(link.identity, about, owner=link.held.holder)
            recorded = await self._record(row)
            begin(link)
            link.run()
        except BaseException:
            self._books.strike(link.identity.pid)
            link.cancel()
            raise
        return recorded

    def keep(self, held: "Held", command: str) -> None:
        """We have taken over a held job: its row in the ledger is ours to strike."""
        self._books.keep(self._row(held.identity, About(held.session_id, command), owner=held.holder))

    def owns(self, group: int) -> bool:
        """Is this group ours still, so that its number can't be a stranger's?"""
        return self.supervisor.guards(group) or group in self._books.groups

    def disown(self, group: int, once: Once = at_once) -> None:
        """Nobody is in this group any more: its number may become somebody else's. Its row goes ``once`` it may."""
        self._adopted.pop(group, None)
        self.supervisor.unregister(group)
        self._books.strike(group, once)

    def adopt(self, leader: Identity, about: About) -> None:
        """Let a job that a dead engine left without a holder die with us."""
        self.supervisor.register(leader.pid, about.session_id, leader.start_time)
        self._books.record(self._row(leader, about))

    def settle(self, group: int, once: Once = at_once) -> None:
        """The end of this group's job is recorded, though somebody is still in it: nobody need ask for it, ``once``
        that may be said."""
        self._books.settle(group, once)

    def unsettled(self) -> set[str]:
        """Jobs of which the ledger may still say that they run; for any thread."""
        return self._books.unsettled()

    def own_process_groups(self, groups: list[int]) -> None:
        """Let these groups, which something else started, die with us. Their leaders must be alive.

        Raises:
            SignalRefused: One is 0, 1 or our own: none is adopted.
            ProcessLookupError: One has no living leader: none is adopted.
        """
        leaders = []
        for group in groups:
            if group <= 1 or group == os.getpgrp():
                raise SignalRefused(f"process group {group} is never owned")
            leader = identify(group)
            if leader is None or os.getpgid(group) != group:
                raise ProcessLookupError(f"process group {group} has no living leader")
            leaders.append(leader)
        for leader in leaders:
            self._adopted[leader.pid] = leader
            self.supervisor.register(leader.pid, _ADOPTED, leader.start_time)
            self._books.record(self._row(leader, About("", "")))

    def release_process_groups(self, groups: list[int]) -> None:
        """Let these adopted groups live on without us."""
        for group in groups:
            if group in self._adopted:
                self.disown(group)

    def release_process_group_once_empty(self, group: int) -> None:
        """Let go of an adopted group when nobody is left in it."""
        task = self._loop.create_task(self._release_once_empty(group))
        self._looks.add(task)
        task.add_done_callback(self._looks.discard)

    async def _release_once_empty(self, group: int) -> None:
        try:
            while (leader := self._adopted.get(group)) is not None:
                rows = (await self._probe.look()).table.rows.values()
                living = [row for row in rows if group in (row.group, row.session) and row.state not in "ZX"]
                if not living or any(row.pid == group and row.identity != leader for row in living):
                    self.disown(group)
                    return
                ended = asyncio.Event()
                self._ends.watch(living[0].identity, ended.set)
                await ended.wait()
        except OSError as error:
            self._trouble(f"process group {group} can't be looked at; it stays owned", error)

    async def _record(self, row: Row) -> bool:
        future = asyncio.wrap_future(self._books.record(row))
        done, _waiting = await asyncio.wait([future], timeout=self._settings.ledger_wait_seconds)
        return bool(done)

    def _row(self, leader: Identity, about: About, *, owner: Identity | None = None) -> Row:
        owner = owner or self._owner
        return Row(
            pid=leader.pid,
            start_time=leader.start_time,
            pgid=leader.pid,
            owner_pid=owner.pid,
            owner_start=owner.start_time,
            session_id=about.session_id,
            command=storable(about.command),
            boot=self._boot,
            started_at=about.started_at,
            owner_task_id=about.owner_task_id,
            notify_on_complete=about.notify_on_complete,
            settled=about.settled,
        )

    def close(self, meanwhile: Callable[[], None]) -> None:
        """We are about to end, and so is all that is owned still; ``meanwhile`` reaps what the supervisor ends."""
        for task in tuple(self._looks):
            task.cancel()
        self.supervisor.close(meanwhile)
        for group in self._books.groups:
            try:
                os.killpg(group, 0)
            except ProcessLookupError:
                self._books.strike(group)
            except PermissionError:
                continue
        self._books.close(self._settings.ledger_wait_seconds)
