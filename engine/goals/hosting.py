"""Which goals this engine hosts, and which others do: the lease decides, and a host's death frees it (spec 3.6)."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import NamedTuple

import msgspec

from engine.barriers.barriers import Barriers
from engine.barriers.process_end import ProcessEnd
from engine.events import GoalChanged
from engine.goals.folder import GoalFolder, Lease
from engine.goals.goal import Goal
from engine.goals.state import CLEARED, GoalState, encode
from engine.process.aside import aside
from engine.process.identity import Identity
from engine.registry.registry import Registry
from engine.waiting import GoalView

_FLUSH_SECONDS = 2.0


class Hosted(NamedTuple):
    """A goal of ours."""

    goal: Goal
    lease: Lease


class _Other(NamedTuple):
    """A goal that another process hosts, or nobody."""

    view: GoalView
    stop: Callable[[], object]
    """Ends the watch on its host."""


class _Found(NamedTuple):
    state: GoalState | None
    lease: Lease | None = None
    """Ours from now on."""
    holder: Identity | None = None
    reports: tuple[str, ...] = ()


class Hosting:
    """The goals of the folder, by id. On the engine's loop alone."""

    def __init__(self, registry: Registry, barriers: Barriers, folder: GoalFolder, *, adopts: bool) -> None:
        self.hosted: dict[str, Hosted] = {}
        self.others: dict[str, _Other] = {}
        self.removing: dict[str, Lease] = {}
        """Goals of ours that were cleared and may still be on the disk."""
        self.adopts = adopts
        """Take over goals that nobody hosts."""
        self._registry = registry
        self._barriers = barriers
        self._folder = folder
        self._one_at_a_time = asyncio.Lock()

    def begin(self, state: GoalState, lease: Lease, *, loops: bool) -> Goal:
        """Host a goal whose lease we have; with ``loops`` its turns go on."""
        goal_id = state.goal_id
        goal = Goal(self._registry, self._barriers, state, self._save)
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
            if goal_id in self.hosted or goal_id in self.removing:
                return
            try:
                found = await aside("jobdeck-goals", lambda: _fetch(self._folder, goal_id, host))
            except OSError as error:
                self._registry.trouble(f"the goal {goal_id} can't be read", error)
                return
            for report in found.reports:
                self._registry.trouble(report)
            if self._registry.closing.is_set():
                if found.lease is not None:
                    found.lease.give_up()
            elif found.state is None:
                self._gone(goal_id)
            elif found.lease is not None:
                self.begin(found.state, found.lease, loops=loops)
            else:
                self._note(found.state, found.holder)

    def forget(self, goal_id: str) -> None:
        """A goal of ours was cleared: nothing of it stays."""
        hosted = self.hosted.pop(goal_id)
        self.removing[goal_id] = hosted.lease

        def gone() -> None:
            lease = self.removing.pop(goal_id, None)
            if lease is not None:
                lease.remove()

        def tell(_removed: "Future[None]") -> None:  # on the writer's thread
            with suppress(RuntimeError):  # the engine has ended: `close` does it
                self._registry.loop.call_soon_threadsafe(gone)

        self._registry.writer.save(self._folder.file(goal_id), None).add_done_callback(tell)

    def close(self) -> None:
        """The engine ends: save what is left, then let others host what we did."""
        for other in self.others.values():
            other.stop()
        self.others.clear()
        # What can't be saved in time keeps its lease until this process ends: nobody may go on from an older state.
        if self._registry.writer.flush(_FLUSH_SECONDS):
            for hosted in self.hosted.values():
                hosted.lease.give_up()
            for lease in self.removing.values():
                lease.remove()
        self.hosted.clear()
        self.removing.clear()

    def _save(self, state: GoalState) -> "Future[None]":
        return self._registry.writer.save(self._folder.file(state.goal_id), encode(state))

    def _note(self, state: GoalState, holder: Identity | None) -> None:
        """It isn't ours: show it as it is kept, and look again when its host dies."""
        goal_id = state.goal_id
        before = self.others.get(goal_id)
        if before is not None:
            before.stop()
        view = state.view(host_pid=holder.pid if holder is not None else 0)
        stop: Callable[[], object] = lambda: None  # noqa: E731
        if holder is not None and self.adopts:
            stop = ProcessEnd(self._registry, holder, lambda: self._host_died(goal_id)).close
        self.others[goal_id] = _Other(view, stop)
        if before is None or before.view != view:
            self._registry.publish(lambda sequence, at: GoalChanged(sequence, at, view))

    def _host_died(self, goal_id: str) -> None:
        self._registry.background(self._registry.loop.create_task(self.look(goal_id, host=True)))

    def _gone(self, goal_id: str) -> None:
        before = self.others.pop(goal_id, None)
        if before is not None:
            before.stop()
            view = msgspec.structs.replace(before.view, status=CLEARED, barrier=None, running="", host_pid=0)
            self._registry.publish(lambda sequence, at: GoalChanged(sequence, at, view))


def _fetch(folder: GoalFolder, goal_id: str, host: bool) -> _Found:
    """A goal as it is kept, and its lease if we may and can have it. Blocks.

    Raises:
        OSError: It can't be read.
    """
    lease = folder.lease(goal_id)
    if not host or not lease.take():
        return _Found(folder.read(goal_id), holder=lease.holder())
    reports: list[str] = []
    try:
        state = folder.read(goal_id, reports.append)
        if state is None or state.status == CLEARED:
            folder.forget(goal_id)
            state = None
    except BaseException:
        lease.give_up()
        raise
    if state is None:
        lease.remove()
        return _Found(None, reports=tuple(reports))
    return _Found(state, lease, reports=tuple(reports))
