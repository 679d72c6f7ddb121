"""One batch: its children side by side, one completion with all results in order (spec 4.6)."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable

from engine.agents.child import Child
from engine.agents.transcripts import BatchTranscripts
from engine.delegation import BatchView, ChildStatus, TaskResult
from engine.spec import Caller

RUNNING, DONE, ERROR, STOPPED = "running", "done", "error", "stopped"


def new_id() -> str:
    """A batch's id."""
    return f"deleg_{os.urandom(4).hex()}"


class Batch:
    """One batch. On the engine's loop alone."""

    def __init__(
        self,
        batch_id: str,
        name: str,
        caller: Caller,
        children: tuple[Child, ...],
        transcripts: BatchTranscripts,
        *,
        max_children: int,
        parent: str = "",
    ) -> None:
        self.batch_id = batch_id
        self.caller = caller
        self.children = children
        self.transcripts = transcripts
        self.parent = parent
        self.over = asyncio.Event()
        """All children have ended, and what came of them is decided."""
        self._name = name
        self._max_children = max_children
        self._status = RUNNING
        self._stopped = False
        self._started_at = time.time()
        self._ended_at: float | None = None

    @property
    def results(self) -> tuple[TaskResult, ...]:
        """What came of those children that are over, in order."""
        return tuple(child.result for child in self.children if child.result is not None)

    def view(self) -> BatchView:
        """As it stands."""
        return BatchView(
            batch_id=self.batch_id,
            name=self._name,
            owner=self.caller.owner,
            status=self._status,
            handles=tuple(child.handle() for child in self.children),
            max_children=self._max_children,
            started_at=self._started_at,
            ended_at=self._ended_at,
            live_transcripts=self.transcripts.told,
            parent=self.parent,
        )

    async def run(
        self,
        cwd: str | None,
        env_of: Callable[[Child], Awaitable[dict[str, str]]],
        nested_over: Callable[[Child], Awaitable[None]],
        changed: Callable[[], None],
    ) -> None:
        """Do all tasks; as many at a time as may be.

        Args:
            cwd: Where they run.
            env_of: What each finds in its environment.
            nested_over: Returns when all has ended that a child dispatched in turn.
            changed: Told when the batch stands otherwise than before.
        """
        places = asyncio.Semaphore(self._max_children)

        async def do(child: Child) -> None:
            async with places:
                try:
                    await child.run(self.caller, cwd, await env_of(child), changed)
                    await nested_over(child)
                    child.settle()
                except Exception as error:  # noqa: BLE001  one child's defect must not keep the batch from its end
                    child.give_up(error)
                changed()

        await asyncio.wait([asyncio.create_task(do(child)) for child in self.children])
        await self.transcripts.end()
        self._ended_at = time.time()
        self._status = self._outcome()
        self.over.set()

    async def stop(self, caller: Caller) -> list[str]:
        """End all children that run, and start no more; why some could not be ended."""
        self._stopped = True
        for child in self.children:
            child.cancelled = True
        said = await asyncio.gather(*(child.cancel(caller) for child in self.children if not child.status.over))
        return [why for why in said if why]

    def _outcome(self) -> str:
        """An error only if all have failed."""
        if self._stopped:
            return STOPPED
        failed = all(child.status is ChildStatus.FAILED for child in self.children)
        return ERROR if failed else DONE
