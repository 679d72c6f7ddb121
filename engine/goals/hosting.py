"""Which goals this engine hosts, and which others do: the lease decides, and a host's death frees it (spec 3.6)."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import msgspec

from engine.barriers.barriers import Barriers
from engine.barriers.process_end import ProcessEnd
from engine.clock.clock import Timer
from engine.events import GoalChanged
from engine.goals.folder import GoalFolder
from engine.goals.goal import Goal
from engine.goals.state import CLEARED, GoalState, encode
from engine.ownership.claimant import claimant
from engine.process.aside import aside
from engine.registry.leasing import HeldLease
from engine.registry.registry import Registry
from engine.store.leases import Lease
from engine.store.state_db import StateDbTrouble
from engine.waiting import GoalView

_FLUSH_SECONDS = 2.0
_GRACE_SECONDS = 5.0
"""A host that has slept with its machine refreshes an expired lease first of all: so long it is left to it."""


class Hosted(NamedTuple):
    """A goal of ours."""

    goal: Goal
    lease: HeldLease


class _Other(NamedTuple):
    """A goal that another process hosts, or nobody."""

    view: GoalView
    watches: tuple[Callable[[], object], ...]
    """What ends the watch on its host, and the timer of the next look."""

    def stop(self) -> None:
        for end in self.watches:
            end()


class _Whose(NamedTuple):
    """Whose a goal is."""

    lease: HeldLease | None = None
    """Ours from now on."""
    row: Lease | None = None
    trouble: str = ""
    """Why that can't be said."""


class Hosting:
    """The goals of the folder, by id. On the engine's loop alone."""

    def __init__(self, registry: Registry, barriers: Barriers, folder: GoalFolder, *, adopts: bool) -> None:
        self.hosted: dict[str, Hosted] = {}
        self.others: dict[str, _Other] = {}
        self.removing: dict[str, HeldLease] = {}
        """Goals of ours that were cleared and may still be on the disk."""
        self.starting: set[str] = set()
        """Goals that are being started here, and may be on the disk already: nobody's to take over."""
        self.adopts = adopts
        """Take over goals that nobody hosts."""
        self._registry = registry
        self._barriers = barriers
        self._folder = folder
        self._leases = registry.leases
        self._leases.on_change = self._leases_changed
        self._one_at_a_time = asyncio.Lock()

    async def claim(self, goal_id: str) -> HeldLease | None:
        """The right to host a goal; None if another does.

        Raises:
            StateDbTrouble: That can't be said.
        """
        return await self._leases.claim(lease_key(goal_id), lambda holder: self._lost(goal_id, holder))

    def begin(self, state: GoalState, lease: HeldLease, *, loops: bool) -> Goal:
        """Host a goal whose lease we have; with ``loops`` its turns go on."""
        goal_id = state.goal_id
        goal = Goal(self._registry, self._barriers, state, lease, lambda kept: self._save(kept, lease))
        before = self.others.pop(goal_id, None)
        if before is not None:
            before.stop()
        self.hosted[goal_id] = Hosted(goal, lease)
        goal.begin()
        if loops:
            goal.loop()
        return goal

    async def look(self, goal_id: str, *, host: bool, loops: bool = True) -> None:
        """See how a goal that isn't ours stands; with ``host``, host it if nobody does."""
        async with self._one_at_a_time:
            if goal_id in self.hosted or goal_id in self.removing or goal_id in self.starting:
                return
            whose = await self._whose(goal_id, host=host)
            reports: list[str] = []
            try:
                report = reports.append if whose.lease is not None else None
                state = await aside("jobdeck-goals", lambda: self._folder.read(goal_id, report))
            except OSError as error:
                self._registry.trouble(f"the goal {goal_id} can't be read", error)
                await self._let_go(goal_id, whose.lease)
                return
            for text in reports:
                self._registry.trouble(text)
            if state is None:
                self._gone(goal_id)
            if whose.lease is None:
                if state is not None and not self._registry.closing.is_set():
                    self._note(state, whose)
            elif state is None or self._registry.closing.is_set():
                await self._let_go(goal_id, whose.lease)
            elif state.status == CLEARED:
                self._remove(goal_id, whose.lease)
            else:
                self.begin(state, whose.lease, loops=loops)

    def forget(self, goal_id: str) -> None:
        """A goal of ours was cleared: nothing of it stays."""
        self._remove(goal_id, self.hosted.pop(goal_id).lease)

    def close(self) -> None:
        """The engine ends: save what is left, then let others host what we did."""
        for other in self.others.values():
            other.stop()
        self.others.clear()
        # What can't be saved in time keeps its lease until this process ends: nobody may go on from an older state.
        if self._registry.writer.flush(_FLUSH_SECONDS):
            for goal_id, hosted in self.hosted.items():
                self._leases.release_at_end(hosted.lease, partial(self._folder.touch, goal_id))
            for lease in self.removing.values():
                self._leases.release_at_end(lease, lambda: None)
        self.hosted.clear()
        self.removing.clear()

    async def views(self, states: list[GoalState]) -> list[GoalView]:
        """Goals of others as they stand, with who hosts each now."""
        return [_view(state, await self._whose(state.goal_id, host=False)) for state in states]

    # -- ours ---------------------------------------------------------------------------------------------------------

    def _save(self, state: GoalState, lease: HeldLease) -> "Future[None]":
        return self._registry.writer.save(self._folder.file(state.goal_id), encode(state), lease.guard)

    def _remove(self, goal_id: str, lease: HeldLease) -> None:
        self.removing[goal_id] = lease

        def gone() -> None:
            if self.removing.pop(goal_id, None) is not None:
                self._in_background(self._let_go(goal_id, lease))

        def tell(_removed: "Future[None]") -> None:  # on the writer's thread
            with suppress(RuntimeError):  # the engine has ended: `close` does it
                self._registry.loop.call_soon_threadsafe(gone)

        self._registry.writer.save(self._folder.file(goal_id), None, lease.guard).add_done_callback(tell)

    async def _let_go(self, goal_id: str, lease: HeldLease | None) -> None:
        if lease is not None:
            await lease.release()
            await aside("jobdeck-goals", lambda: self._folder.touch(goal_id))

    def _lost(self, goal_id: str, holder: str) -> None:
        """Another has taken it over while this process stood still."""
        self.removing.pop(goal_id, None)
        hosted = self.hosted.pop(goal_id, None)
        if hosted is None:
            return
        hosted.goal.lose()
        took = claimant(holder)
        who = f"{took.words} has taken it over" if took is not None else "its lease is gone"
        self._registry.notice(
            f"the goal {goal_id} isn't run here any more: {who} while this process stood still. "
            "Whatever ran of it here is ended, and nothing of it is written"
        )
        self._in_background(self.look(goal_id, host=self.adopts and not holder))

    def _leases_changed(self) -> None:
        """Whether anything can be said of leases has changed."""
        for hosted in self.hosted.values():
            hosted.goal.tell()
        for goal_id in list(self.others):
            self._in_background(self.look(goal_id, host=self.adopts))

    # -- others' ------------------------------------------------------------------------------------------------------

    async def _whose(self, goal_id: str, *, host: bool) -> _Whose:
        try:
            lease = await self.claim(goal_id) if host else None
            return _Whose(lease) if lease is not None else _Whose(row=await self._leases.holder(lease_key(goal_id)))
        except StateDbTrouble as error:
            return _Whose(trouble=str(error))

    def _note(self, state: GoalState, whose: _Whose) -> None:
        """It isn't ours: show it as it is kept, and look again when its host dies or lets its lease expire."""
        goal_id = state.goal_id
        before = self.others.get(goal_id)
        if before is not None:
            before.stop()
        view = _view(state, whose)
        self.others[goal_id] = _Other(view, self._watches(goal_id, whose) if self.adopts else ())
        expired = 0 < view.lease_until <= self._registry.clock.wall()
        if before is None or before.view != view or expired:
            self._registry.publish(lambda sequence, at: GoalChanged(sequence, at, view))

    def _watches(self, goal_id: str, whose: _Whose) -> tuple[Callable[[], object], ...]:
        if whose.row is None:  # nobody's, just let go of; or state.db is in trouble, whose end is told
            return () if whose.trouble else (self._look_in(_GRACE_SECONDS, goal_id).cancel,)
        host = claimant(whose.row.holder)
        timer = self._look_at_expiry(goal_id, whose.row.expires_at)
        if host is None or not host.local:
            return (timer.cancel,)
        return timer.cancel, ProcessEnd(self._registry, host.identity, lambda: self._look_soon(goal_id)).close

    def _look_at_expiry(self, goal_id: str, expires_at: float) -> Timer:
        """Once when a host that goes on will have refreshed it, again when it has expired, and then to take it over."""
        clock = self._registry.clock
        refreshed = expires_at - self._leases.ttl / 3
        if clock.wall() >= expires_at:
            return self._look_in(_GRACE_SECONDS, goal_id)
        when = refreshed if clock.wall() < refreshed else expires_at
        return clock.call_at_wall(when, lambda: self._look_soon(goal_id, host=clock.wall() < expires_at))

    def _look_in(self, seconds: float, goal_id: str) -> Timer:
        return self._registry.clock.call_later(seconds, lambda: self._look_soon(goal_id))

    def _look_soon(self, goal_id: str, *, host: bool = True) -> None:
        self._in_background(self.look(goal_id, host=host))

    def _gone(self, goal_id: str) -> None:
        before = self.others.pop(goal_id, None)
        if before is not None:
            before.stop()
            view = msgspec.structs.replace(
                before.view, status=CLEARED, barrier=None, running="", host_pid=0, host="", lease_until=0.0, held_up=""
            )
            self._registry.publish(lambda sequence, at: GoalChanged(sequence, at, view))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        self._registry.background(self._registry.loop.create_task(work))


def lease_key(goal_id: str) -> str:
    """What its lease is known by."""
    return f"goal:{goal_id}"


def _view(state: GoalState, whose: _Whose) -> GoalView:
    """A goal that isn't ours, with who hosts it."""
    row = whose.row
    host = claimant(row.holder) if row is not None else None
    if row is None or (host is not None and host.dead):
        return state.view(held_up=whose.trouble)
    if host is None:
        return state.view(host=row.holder, lease_until=row.expires_at)
    return state.view(host_pid=host.pid if host.local else 0, host=host.words, lease_until=row.expires_at)
