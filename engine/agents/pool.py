"""How many batches run at a time: the check and the entry are one step (spec 4.6)."""

import asyncio
from collections.abc import Callable


class Pool:
    """Slots for batches. On the engine's loop alone."""

    def __init__(self, slots: Callable[[], int]) -> None:
        """``slots`` tells how many there are now: a setting, which may change."""
        self._slots = slots
        self._taken: set[str] = set()
        self._left = asyncio.Event()

    @property
    def slots(self) -> int:
        """So many batches run at a time."""
        return self._slots()

    @property
    def free(self) -> int:
        """Slots that nobody has."""
        return max(0, self.slots - len(self._taken))

    def enter(self, batch_id: str) -> bool:
        """Take a slot; False when all are taken, and nothing has changed."""
        if not self.free:
            return False
        self._taken.add(batch_id)
        return True

    def leave(self, batch_id: str) -> None:
        """Its slot is free; nothing if it had none."""
        if batch_id in self._taken:
            self._taken.discard(batch_id)
            self._left.set()
            self._left = asyncio.Event()

    async def room(self, seconds: float) -> bool:
        """Wait until a slot is free, so long at most."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + seconds
        while not self.free:
            try:
                await asyncio.wait_for(self._left.wait(), ends - loop.time())
            except TimeoutError:
                return False
        return True
