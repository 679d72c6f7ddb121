"""All that is waited for: set, released by its own signal, told exactly once (spec 2.7)."""

import asyncio
import os
from collections.abc import Callable

import msgspec

from engine.barriers.asking import target_of
from engine.barriers.barrier import Barrier
from engine.barriers.targets import Target, TimeTarget
from engine.events import BarrierReleased, BarrierSet
from engine.redact import redact, redact_command
from engine.registry.ids import find_id
from engine.registry.refusals import refused
from engine.registry.registry import Registry
from engine.registry.start import StartError, spawn
from engine.results import Refused
from engine.spec import Caller, JobSpec, SpecError, WaitSpec
from engine.waiting import BarrierView, Release

_PREFIX = "wait_"


class Barriers:
    """The waits of one engine, goals' and standing ones. On the engine's loop alone."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._standing: dict[str, Barrier] = {}
        self._held: list[Callable[[], object]] = []
        """What came while nothing moves."""
        self.moving = asyncio.Event()
        """Not set while the operator is about to leave: what ends then is no signal."""
        self.moving.set()
        registry.barrier_views = self.views

    def views(self, caller: Caller) -> tuple[BarrierView, ...]:
        """What the caller may know of, oldest first."""
        proven = self._registry.broadcast.postbox.proven
        return tuple(
            one.view for one in self._standing.values() if caller.is_operator or proven(one.view.owner, caller)
        )

    def set(self, caller: Caller, spec: WaitSpec, verb: str = "wait_for") -> Barrier | Refused:
        """Wait for something, without a goal; ``then`` is run once it has happened."""
        target = target_of(self._registry, caller, spec, verb)
        if isinstance(target, Refused):
            return target
        return self.begin(target, caller, spec, verb=verb)

    def begin(
        self,
        target: Target,
        caller: Caller,
        spec: WaitSpec,
        *,
        verb: str = "wait_for",
        goal_id: str = "",
        since: float = 0.0,
        barrier_id: str = "",
        on_release: Callable[[Release], None] | None = None,
    ) -> Barrier | Refused:
        """Wait for ``target`` on the terms of ``spec``; ``since`` and ``barrier_id`` are those of an earlier engine."""
        registry = self._registry
        now = registry.clock.wall()
        since = since or now
        patience = spec.timeout or registry.settings.barrier_max_seconds
        view = target.name(
            BarrierView(
                barrier_id=barrier_id or self._new_id(),
                kind="",
                since=since,
                deadline=since + patience,
                reason=redact(spec.reason),
                then=redact_command(spec.then),
                goal_id=goal_id,
                owner=caller.owner,
            )
        )
        barrier = Barrier(view, spec, caller, on_release)
        try:
            barrier.watching(
                target.watch(registry, lambda release: self._signalled(lambda: self._release(barrier, release)))
            )
        except ValueError as error:
            return refused(verb, str(error))
        if not isinstance(target, TimeTarget):
            # Whatever somebody does to the clock, nothing waits longer than it should.
            left = max(0.0, since + patience - now)

            def expire() -> None:
                self._signalled(lambda: self._expire(barrier))

            for timer in (
                registry.clock.call_at_wall(since + patience, expire),
                registry.clock.call_later(left, expire),
            ):
                barrier.watching(timer.cancel)
        self._standing[view.barrier_id] = barrier
        registry.publish(lambda sequence, at: BarrierSet(sequence, at, view))
        return barrier

    def lift(self, caller: Caller, barrier_id: str) -> bool:
        """Wait for it no longer; False when nothing waits under that id (any more)."""
        known = [view.barrier_id for view in self.views(caller)]
        found = find_id(barrier_id, known, _PREFIX)
        return found is not None and self.end(self._standing[found], "lifted", "lifted")

    def end(self, barrier: Barrier, outcome: str, text: str) -> bool:
        """Release it without its having happened; False if it has been released already."""
        return self._release(barrier, Release(outcome=outcome, happened=False, text=text))

    def stand_still(self, on: bool) -> None:
        """Let nothing be released by its signal until this ends; what came meanwhile is released then."""
        if on:
            self.moving.clear()
            return
        self.moving.set()
        held, self._held = self._held, []
        for do in held:
            do()

    def close(self) -> None:
        """The engine ends: wait for nothing any more, and tell nobody."""
        for barrier in self._standing.values():
            barrier.stop()
        self._standing.clear()

    def _signalled(self, do: Callable[[], object]) -> None:
        if self.moving.is_set():
            do()
        else:
            self._held.append(do)

    def _new_id(self) -> str:
        while (barrier_id := _PREFIX + os.urandom(4).hex()) in self._standing:
            pass
        return barrier_id

    def _expire(self, barrier: Barrier) -> None:
        view = barrier.view
        waited = _spell((view.deadline or 0.0) - view.since)
        if self.end(barrier, "expired", f"gave up after {waited}"):
            what = f"{view.session_id} ({view.target})" if view.session_id else f"process {view.pid} ({view.target})"
            whose = f"goal {view.goal_id} goes on: its" if view.goal_id else "a"
            text = f"{whose} wait for {what} gave up after {waited}"
            self._registry.notice(text, "warning", view.session_id, owner=view.owner)

    def _release(self, barrier: Barrier, release: Release) -> bool:
        if barrier.release is not None:
            return False
        barrier.release = release
        barrier.stop()
        if self._registry.closing.is_set():
            return False
        if release.happened and barrier.spec.then:
            registry = self._registry
            registry.background(registry.loop.create_task(self._run_then(barrier, release)))
        else:
            self._tell(barrier, release)
        return True

    async def _run_then(self, barrier: Barrier, release: Release) -> None:
        """Start what was to be run then; the release tells which job that is, or why it couldn't be started."""
        spec = barrier.spec
        env: dict[str, str | None] = {
            "JOBDECK_WAIT_OUTCOME": release.outcome,
            "JOBDECK_EXIT_CODE": "" if release.exit_code is None else str(release.exit_code),
        }
        try:
            started = await spawn(self._registry, barrier.caller, JobSpec(command=spec.then, cwd=spec.cwd, env=env))
            release = msgspec.structs.replace(release, then_session_id=started.session_id)
        except (StartError, SpecError) as error:
            release = msgspec.structs.replace(
                release,
                text=f"{release.text}; but what was to be run then can't be: {error}",
                then_session_id=error.session_id if isinstance(error, StartError) else "",
            )
        self._tell(barrier, release)

    def _tell(self, barrier: Barrier, release: Release) -> None:
        view = self._standing.pop(barrier.view.barrier_id).view
        self._registry.publish(lambda sequence, at: BarrierReleased(sequence, at, view, release))
        if barrier.on_release is not None:
            barrier.on_release(release)


def _spell(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.3g} min" if seconds < 7200 else f"{seconds / 3600:.3g} h"
