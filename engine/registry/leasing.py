"""Leases as the engine's loop uses them: decided on the writer thread, refreshed while held (spec 3.6).

While ``state.db`` can't be used nothing is granted or confirmed, and only one look every two seconds asks it again: no
queue grows behind a disk that hangs, and files of state don't wait for a lock over and over.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from engine.ownership.claimant import is_dead, ourselves
from engine.store.home import home_folder
from engine.store.leases import Lease, LeaseLost, Leases
from engine.store.state_db import StateDb, StateDbTrouble

if TYPE_CHECKING:
    from engine.clock.clock import Timer
    from engine.registry.registry import Registry

T = TypeVar("T")

_ANSWER_SECONDS = 5.0
"""What a disk has to answer in."""
_PROBE_SECONDS = 2.0
_FREE_SECONDS = 0.5
"""How often one who waits for another's lease looks whether it is free."""


class HeldLease:
    """A lease of ours, refreshed until it is released or lost."""

    def __init__(self, leasing: "Leasing", key: str, on_lost: Callable[[str], object]) -> None:
        self.key = key
        self.on_lost = on_lost
        self._leasing = leasing

    async def confirm(self) -> None:
        """Make sure that it is ours at this moment, and for the whole of its time from now.

        Raises:
            LeaseLost: It isn't; ``on_lost`` has been told.
            StateDbTrouble: That can't be said: then it must not be acted upon.
        """
        await self._leasing.refresh(self)

    @contextmanager
    def guard(self) -> Iterator[None]:
        """While the block lasts nobody can take it: what only its holder may write. On the writer thread.

        Raises:
            LeaseLost, StateDbTrouble: As `confirm`.
        """
        with self._leasing.guarded(self):
            yield

    async def release(self) -> None:
        """Let others have it. Never raises: what can't be told expires."""
        with suppress(LeaseLost, OSError):
            await self._leasing.release(self)


class Leasing:
    """The leases of this engine. On the engine's loop alone."""

    def __init__(self, registry: "Registry") -> None:
        self.trouble = ""
        """Why nothing is granted just now, else empty."""
        self.on_change: Callable[[], object] = lambda: None
        """Called when ``trouble`` begins or ends."""
        self._registry = registry
        self._database = StateDb(home_folder() / "state.db", self._report)
        self.ttl = registry.settings.lease_ttl_seconds
        self._leases = Leases(self._database, str(ourselves()), ttl=self.ttl, is_dead=is_dead, wall=registry.clock.wall)
        self._held: dict[str, HeldLease] = {}
        self._passing: set[str] = set()
        """What is held only while something is done."""
        self._timers: tuple[Timer, ...] = ()
        self._usable = asyncio.Event()
        self._usable.set()

    async def claim(self, key: str, on_lost: Callable[[str], object] = lambda _holder: None) -> HeldLease | None:
        """Take a lease; None if another has it. ``on_lost`` is told on the loop, once, who has it instead of us; empty:
        nobody.

        Raises:
            StateDbTrouble: Nobody can be granted anything.
        """
        if await self._ask(lambda: self._leases.try_acquire(key)) is None:
            return None
        held = self._held[key] = HeldLease(self, key, on_lost)
        self._refresh_later()
        return held

    @asynccontextmanager
    async def alone(self, key: str) -> AsyncIterator[None]:
        """Hold a lease until the block ends, once it can be had: waits while it is another's, and while ``state.db``
        can't be used. The engine's end ends it too."""
        while (held := await self._claim_when_usable(key)) is None:
            await asyncio.sleep(_FREE_SECONDS)
        self._passing.add(key)
        try:
            yield
        finally:
            self._passing.discard(key)
            await held.release()

    async def _claim_when_usable(self, key: str) -> HeldLease | None:
        while True:
            await self.usable()
            with suppress(StateDbTrouble):
                return await self.claim(key)

    async def holder(self, key: str) -> Lease | None:
        """Who holds it, also when it has expired; None: nobody does.

        Raises:
            StateDbTrouble: It can't be said.
        """
        return await self._ask(lambda: self._leases.get_holder(key))

    async def usable(self) -> None:
        """Wait until ``state.db`` can be used."""
        await self._usable.wait()

    async def refresh(self, held: HeldLease) -> None:
        """See `HeldLease.confirm`."""
        try:
            await self._ask(lambda: self._leases.refresh(held.key))
        except LeaseLost as error:
            self._lost(held, error.holder)
            raise

    @contextmanager
    def guarded(self, held: HeldLease) -> Iterator[None]:
        """See `HeldLease.guard`."""
        if self.trouble:
            raise StateDbTrouble(self.trouble)
        try:
            with self._leases.held(held.key):
                yield
        except LeaseLost as error:
            self._post(self._lost, held, error.holder)
            raise
        except StateDbTrouble as error:
            self._post(self._failed, error)
            raise

    async def release(self, held: HeldLease) -> None:
        """See `HeldLease.release`."""
        self._forget(held)
        await self._ask(lambda: self._leases.release(held.key))

    def release_at_end(self, held: HeldLease, then: Callable[[], object]) -> None:
        """The engine ends: let others have it, and ``then``, on the writer thread."""
        self._forget(held)

        def release() -> None:
            with suppress(LeaseLost):
                self._leases.release(held.key)
                then()

        self._registry.writer.run(release)

    def close(self) -> None:
        """The engine ends: let others have what it holds, also what it has only just asked for. A goal that couldn't be
        saved stays held until its lease expires or this process is gone."""
        self._cancel()
        kept = frozenset(self._held) - self._passing

        def end() -> None:
            try:
                with suppress(StateDbTrouble):
                    self._leases.release_all_but(kept)
            finally:
                self._leases.close()

        self._registry.writer.run(end)

    # -- keeping them -------------------------------------------------------------------------------------------------

    def _refresh_later(self) -> None:
        """By the wall, so that one who has slept refreshes first of all; and by time, should the wall be set back."""
        self._cancel()
        if self._held:
            clock, seconds = self._registry.clock, self.ttl / 3
            self._timers = (
                clock.call_later(seconds, self._refresh_soon),
                clock.call_at_wall(clock.wall() + seconds, self._refresh_soon),
            )

    def _refresh_soon(self) -> None:
        self._cancel()
        self._registry.background(self._registry.loop.create_task(self._refresh_all()))

    async def _refresh_all(self) -> None:
        try:
            for held in list(self._held.values()):
                with suppress(LeaseLost):
                    await held.confirm()
        except StateDbTrouble:
            await self.usable()
            self._refresh_soon()
        else:
            self._refresh_later()

    def _cancel(self) -> None:
        for timer in self._timers:
            timer.cancel()
        self._timers = ()

    def _forget(self, held: HeldLease) -> bool:
        ours = self._held.get(held.key) is held
        if ours:
            del self._held[held.key]
            if not self._held:
                self._cancel()
        return ours

    def _lost(self, held: HeldLease, holder: str) -> None:
        if self._forget(held):
            held.on_lost(holder)

    # -- the database -------------------------------------------------------------------------------------------------

    async def _ask(self, work: Callable[[], T]) -> T:
        if self.trouble:
            raise StateDbTrouble(self.trouble)
        asked = self._registry.writer.run(work)
        try:
            return await self._answer(asked)
        except StateDbTrouble as error:
            self._failed(error, asked)
            raise

    async def _answer(self, asked: "Future[T]") -> T:
        try:
            return await asyncio.wait_for(asyncio.wrap_future(asked), _ANSWER_SECONDS)
        except TimeoutError as error:
            raise StateDbTrouble(f"{self._database.path} can't be used: the disk doesn't answer") from error

    def _failed(self, error: StateDbTrouble, asked: "Future[Any] | None" = None) -> None:
        if self.trouble or self._registry.closing.is_set():
            return
        self.trouble = str(error)
        self._usable.clear()
        self._registry.notice(
            f"{error}. Until then no turn of a goal runs, and nothing is taken over from a jobdeck that died", "error"
        )
        self.on_change()
        self._registry.background(self._registry.loop.create_task(self._probe(asked)))

    async def _probe(self, asked: "Future[Any] | None") -> None:
        """Look until it can be used again; one look at a time, however long it takes."""
        while self.trouble:
            await asyncio.sleep(_PROBE_SECONDS)
            if asked is not None and not asked.done():
                continue
            asked = self._registry.writer.run(self._database.probe)
            try:
                await self._answer(asked)
            except StateDbTrouble as error:
                self.trouble = str(error)
                continue
            except OSError:  # the engine ends
                return
            self.trouble = ""
        self._usable.set()
        self._registry.notice(f"{self._database.path} can be used again: goals go on", "information")
        self.on_change()

    def _report(self, what: str) -> None:
        self._post(self._registry.trouble, what)

    def _post(self, do: Callable[..., object], *args: object) -> None:
        with suppress(RuntimeError):  # the engine has ended
            self._registry.loop.call_soon_threadsafe(do, *args)
