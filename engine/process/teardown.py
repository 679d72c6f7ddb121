"""Ending a tree: hold it, TERM, a grace, KILL, and a look whether it is really gone (spec 1.7)."""

import asyncio
import signal
from collections.abc import Callable
from typing import TypeAlias

from engine.config import Settings
from engine.process.identity import Identity, state
from engine.process.tree import Tree
from engine.results import Survivor

_FIRST_PAUSE_SECONDS = 0.002
_LONGEST_PAUSE_SECONDS = 0.05
_PATIENCE_SECONDS = 0.1
"""For a process that waits in the kernel and doesn't stop."""
_STOPPED = "TtZX"

OnWait: TypeAlias = Callable[[list[Identity], float | None], None]
"""Who is waited for, and in how many seconds KILL follows (None: it has been sent, or never will be)."""


class Teardown:
    """One kill of one tree. ``hurry`` set: no grace, or no more of it; ``on_wait`` is told who is waited for.

    ``sweep``: KILL to all at once, where the system can do that; for a tree that grows as fast as it is looked at.
    """

    def __init__(
        self,
        tree: Tree,
        settings: Settings,
        hurry: asyncio.Event,
        *,
        parent_first: bool,
        on_wait: OnWait = lambda _living, _kill_in: None,
        sweep: Callable[[], object] = lambda: None,
    ) -> None:
        self._tree = tree
        self._settings = settings
        self._hurry = hurry
        self._on_wait = on_wait
        self._sweep = sweep
        self._parent_first = parent_first
        self._loop = asyncio.get_running_loop()

    async def run(self) -> list[Survivor]:
        """End the tree; who could not be proved dead. Whatever happens, nobody is left stopped by us.

        Raises:
            OSError: The processes of this machine can't be listed.
        """
        try:
            if not self._hurry.is_set():
                if await self._term():
                    return []
                if self._settings.term_grace_seconds == 0 and not self._hurry.is_set():
                    return self._tree.survivors()
            return await self._kill()
        finally:
            self._tree.resume()

    async def _term(self) -> bool:
        """TERM to a tree that holds still meanwhile, and the grace; True when all are dead.

        Held are those with children, so that no shell in between runs its next command when its child dies.
        """
        tree, settings = self._tree, self._settings
        if not await self._hold(lambda: [one for one in tree.living() if one in tree.parents]):
            return False
        tree.signal(self._ordered(tree.living()), signal.SIGTERM)
        tree.signal(self._ordered(tree.living()), signal.SIGCONT)  # a stopped process takes its TERM when it goes on
        deadline = self._loop.time() + (settings.term_grace_seconds or settings.kill_proof_seconds)
        while await self._all_dead(deadline, self._hurry):
            new = await tree.look()
            if not new:
                return True
            tree.signal(self._ordered(new), signal.SIGTERM)
        return False

    async def _kill(self) -> list[Survivor]:
        """KILL to everyone, stopped before so that nobody is forked out of sight, until a look finds nobody."""
        tree = self._tree
        whole = await self._hold(tree.living)
        deadline = self._loop.time() + self._settings.kill_proof_seconds
        while True:
            if not whole:  # they fork faster than we look: stop all we see, so that ever fewer are left to fork
                self._sweep()
                tree.signal(reversed(tree.living()), signal.SIGSTOP)
            tree.signal(tree.living(), signal.SIGKILL)
            dead = await self._all_dead(deadline if whole else self._loop.time() + _LONGEST_PAUSE_SECONDS, None)
            new = await tree.look()
            if dead and not new:
                return []
            if self._loop.time() >= deadline:
                return tree.survivors()

    async def _hold(self, who: Callable[[], list[Identity]]) -> bool:
        """Stop ``who``, parents before their children, and look again until nobody new is to be stopped.

        False: not within the bounds; the tree grows as fast as it is looked at. However long a look takes on a slow
        machine: a tree in which a second one finds nobody new isn't one that grows.
        """
        tree = self._tree
        stopped: set[Identity] = set()
        deadline = float("inf")
        for number in range(self._settings.hold_rounds):
            await tree.look()
            if number == 0:
                deadline = self._loop.time() + self._settings.hold_seconds
            new = [one for one in who() if one not in stopped]
            if not new:
                return True
            if stopped and self._loop.time() >= deadline:
                break
            tree.signal(reversed(new), signal.SIGSTOP)
            stopped.update(new)
            await self._all_stopped(new, deadline)
        return False

    async def _all_stopped(self, who: list[Identity], deadline: float) -> None:
        """A stop takes effect a little later, and a TERM sent meanwhile would be taken first.

        Who waits in the kernel may go on doing so for ever, and forks nobody meanwhile.
        """
        pause = _FIRST_PAUSE_SECONDS
        patience = self._loop.time() + _PATIENCE_SECONDS
        waiting = [one for one in who if not self._tree.refused(one)]
        while waiting := [one for one in waiting if (seen := state(one)) and seen not in _STOPPED]:
            now = self._loop.time()
            if now >= deadline or (now >= patience and all(state(one) == "D" for one in waiting)):
                return
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)

    async def _all_dead(self, deadline: float, hurry: asyncio.Event | None) -> bool:
        """True when all are dead; False at the deadline or when there is no more time to wait."""
        pause = _FIRST_PAUSE_SECONDS
        while living := self._tree.living():
            left = deadline - self._loop.time()
            self._on_wait(living, left if hurry is not None and self._settings.term_grace_seconds else None)
            if left <= 0 or (hurry is not None and hurry.is_set()):
                return False
            await asyncio.sleep(min(pause, left))
            pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
        return True

    def _ordered(self, who: list[Identity]) -> list[Identity]:
        return who[::-1] if self._parent_first else who
