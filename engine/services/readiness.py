"""When a run of a job counts as ready for those that wait for it."""

import asyncio
import threading
from collections.abc import Callable

from engine.clock.clock import Timer
from engine.config.entries import Ready
from engine.process.aside import aside
from engine.process.environment import job_environment
from engine.registry.job import Job
from engine.registry.lookout import Lookout
from engine.registry.registry import Registry
from engine.spec import SpecError


class ReadyWatch:
    """Calls ``on_ready`` once, or ``on_late`` with why it hasn't become ready in its time (it may still).

    A job without a condition is ready as it runs; the condition ``exit`` is its keeper's to see.

    Raises:
        SpecError: The line can't be searched for.
    """

    def __init__(
        self,
        registry: Registry,
        job: Job,
        ready: Ready | None,
        on_ready: Callable[[], object],
        on_late: Callable[[str], object],
    ) -> None:
        self._registry, self._job = registry, job
        self._on_ready, self._on_late = on_ready, on_late
        self._lookout: Lookout | None = None
        self._looking: asyncio.Task[None] | None = None
        self._deadline: Timer | None = None
        self._over, self._halt = False, threading.Event()
        if ready is None:
            registry.loop.call_soon(self._ready)
            return
        if ready.line:
            try:
                self._lookout = Lookout(registry, job, ready.line, lambda _match: self._ready())
            except SpecError as error:
                raise SpecError(f"ready: {error}") from error
        elif ready.exit is None:
            self._looking = registry.loop.create_task(self._look(ready))
            registry.background(self._looking)
        if ready.timeout:
            late = f"wasn't ready after {ready.timeout:g} s ({ready.wanted})"
            left = max(0.0, ready.timeout - job.uptime_seconds)
            self._deadline = registry.clock.call_later(left, lambda: self._over or on_late(late))

    def cancel(self) -> None:
        """Look no longer. Safe to call twice."""
        self._over = True
        self._halt.set()
        if self._lookout is not None:
            self._lookout.cancel()
        if self._looking is not None:
            self._looking.cancel()
        if self._deadline is not None:
            self._deadline.cancel()

    def _ready(self) -> None:
        if not self._over:
            self.cancel()
            self._on_ready()

    async def _look(self, ready: Ready) -> None:
        from engine.services.probes import probe_of  # urllib takes longer to load than all else here

        job, registry = self._job, self._registry
        env = job_environment(job.session_id, job.spec.env, registry.settings.env_block, pty=False)
        probe = probe_of(ready, job.cwd, env, self._halt)
        asked = False
        while probe is not None and not self._over and not job.finished:
            if await aside("jobdeck-ready", probe):
                if asked or not ready.port or not await self._sees_out_a_stranger(ready.port, ready.every):
                    self._ready()
                    return
                asked = True
            await self._pause(ready.every)

    async def _sees_out_a_stranger(self, port: int, every: float) -> bool:
        """If who answers was there before the job, wait until that is gone; False if it wasn't."""
        from engine.services.strangers import stranger_on

        stranger = await aside("jobdeck-ready", lambda: stranger_on(port, self._job.pid))
        if stranger is None or self._over:
            return False
        self._on_late(stranger.words)
        while not self._job.finished and await aside("jobdeck-ready", stranger.is_there):
            await self._pause(every)
        return True

    async def _pause(self, seconds: float) -> None:
        woken = asyncio.Event()
        timer = self._registry.clock.call_later(seconds, woken.set)
        try:
            await woken.wait()
        finally:
            timer.cancel()
