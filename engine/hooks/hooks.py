"""What runs when jobs end and watches hit: so many at a time, so many waiting, none of it on the jobs' time."""

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING

from engine.events import WatchHit
from engine.hooks.failures import Failures
from engine.hooks.hook import Hook, find_hook
from engine.registry.job import Job
from engine.registry.registry import Registry

if TYPE_CHECKING:
    from engine.hooks.run import Call


class Hooks:
    """The hooks of an engine's jobs. On its loop alone; costs nothing where there are none."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._waiting: deque[Call] = deque()
        self._running: set[asyncio.Task[None]] = set()
        self._failures = Failures(registry.clock, self._warn)
        self._hurry = asyncio.Event()

    def ended(self, job: Job) -> None:
        """A job's end is recorded. Jobs that end with us start no hook, nor what isn't for itself: a judge, a run in
        the foreground."""
        if job.foreground or job.goal_part == "judge" or job.termination_source == "quit":
            return
        hook = find_hook(self._registry, "on_exit", job)
        if hook is not None and self._room():
            from engine.hooks.told import exit_told

            self._take(hook, job, exit_told(self._registry, job), job.exit_code)

    def hit(self, job: Job, hit: WatchHit) -> None:
        """A hit was told."""
        hook = find_hook(self._registry, "on_hit", job)
        if hook is not None and self._room():
            from engine.hooks.told import hit_told

            self._take(hook, job, hit_told(job, hit))

    async def leave(self) -> None:
        """The engine is about to end: let those that run or wait have their moment, then end them."""
        if self._running:
            timer = self._registry.clock.call_later(self._registry.settings.hooks_leave_seconds, self._no_more)
            while self._running:
                await asyncio.wait(self._running)
            timer.cancel()
        self._failures.close()

    def _no_more(self) -> None:
        self._waiting.clear()
        self._hurry.set()

    def _room(self) -> bool:
        most = self._registry.settings.hooks_waiting
        if self._registry.closing.is_set():
            return False
        if len(self._waiting) >= most:
            self._failures.left_out(most)
            return False
        return True

    def _take(self, hook: Hook, job: Job, told: bytes, exit_code: int | None = None) -> None:
        from engine.hooks.run import Call

        self._waiting.append(Call(hook, job.session_id, job.name, told, exit_code))
        self._go_on()

    def _go_on(self) -> None:
        while self._waiting and len(self._running) < max(1, self._registry.settings.hooks_at_once):
            call = self._waiting.popleft()
            task = self._registry.loop.create_task(self._run(call))
            self._running.add(task)
            task.add_done_callback(partial(self._done, call))

    async def _run(self, call: "Call") -> None:
        from engine.hooks.run import run

        failure = await run(self._registry, call, self._hurry)
        if failure is not None:
            self._failures.failed(call.hook, call.job_name, call.session_id, *failure)
        else:
            self._failures.succeeded(call.hook)

    def _done(self, call: "Call", task: "asyncio.Task[None]") -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._registry.trouble(f"{call.hook.event} for {call.job_name} could not be run", error)
        self._go_on()

    def _warn(self, text: str, session_id: str) -> None:
        self._registry.notice(text, "error", session_id)
