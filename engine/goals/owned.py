"""The children of a goal, steps and judges: jobs like any other, owned the same way (spec 2.7, 3.3)."""

import asyncio

from engine.process.child import DirectChild
from engine.registry.job import Job
from engine.registry.kill import kill
from engine.registry.registry import Registry
from engine.registry.start import spawn
from engine.registry.tap import Tap
from engine.spec import OPERATOR, Caller, JobSpec


class StdoutTap:
    """Keeps what a job writes to stdout, apart from stderr, up to a limit."""

    stdin: int | None = None
    apart = True

    def __init__(self, most: int) -> None:
        self._most = most
        self._data = bytearray()
        self.overflown = False

    @property
    def data(self) -> bytes:
        """What was written, from the beginning."""
        return bytes(self._data)

    def pass_on(self, _link: DirectChild, source: str, data: bytes) -> None:
        """See `Tap`."""
        if source:
            return
        room = self._most - len(self._data)
        self.overflown = self.overflown or len(data) > room
        self._data += data[:room]


async def start_owned(
    registry: Registry, caller: Caller, spec: JobSpec, goal_id: str, part: str, tap: Tap | None = None
) -> Job:
    """Start a job of a goal: its ``step`` or its ``judge``.

    Raises:
        StartError: It can't be started.
        SpecError: It can't be as it is written.
    """
    started = await spawn(registry, caller, spec, tap=tap, goal_id=goal_id, goal_part=part)
    return registry.jobs[started.session_id]


async def end_within(registry: Registry, job: Job, seconds: float) -> bool:
    """Wait for a job's end, and end its tree after so many seconds; True if that was necessary.

    Returns even if it can't be ended: nothing wedges on it.
    """
    over = asyncio.Event()
    late = False

    async def end() -> None:
        try:
            await kill(registry, OPERATOR, job.session_id, source="process.kill")
        finally:
            over.set()

    def out_of_time() -> None:
        nonlocal late
        if not job.exit_seen:
            late = True
            registry.background(registry.loop.create_task(end()))

    timer = registry.clock.call_later(seconds, out_of_time)
    ended = registry.loop.create_task(job.ended.wait())
    ended.add_done_callback(lambda _ended: over.set())
    try:
        await over.wait()
    finally:
        timer.cancel()
        ended.cancel()
    return late
