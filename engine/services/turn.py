"""Whose the jobs of a file are: one jobdeck's at a time, and the next one's as soon as that is gone, however it went.

A lock rather than a lease with a time: its jobs run as long as its process is there, be that stopped or asleep, and the
kernel frees it at that very moment.
"""

import asyncio
import contextlib
import os
import threading
from pathlib import Path

import msgspec

from engine.config.slots import slot_of
from engine.ownership.ledger import boot_id
from engine.process.aside import aside
from engine.process.identity import identify
from engine.registry.registry import Registry
from engine.services.noted import Noted, read_noted
from engine.store.home import private_folder
from engine.store.lock import FileLock

_DYING_SECONDS = 10.0
"""A dying process frees its locks before it counts as dead, by moments."""


class Turn:
    """Our wish to have the jobs of one file. On the engine's loop alone."""

    def __init__(self, registry: Registry, file: Path) -> None:
        self._registry = registry
        name = slot_of(file, "")
        self._lock = FileLock(registry.home / f"{name}.lock")
        self._path = registry.home / f"{name}.json"
        self._over = False
        self._us = msgspec.structs.replace(Noted(), host=identify(os.getpid()), boot=boot_id())
        self._saved = Noted()
        self.noted = Noted()
        """What the one before us has left."""

    async def take(self) -> bool:
        """Have them now; False if another has them.

        Raises:
            OSError: It can't be told.
        """
        registry, lock = self._registry, self._lock
        taken = await aside("jobdeck-jobs", lambda: private_folder(registry.home) is not None and lock.acquire())
        self.noted = await self._read()
        if taken:
            await self._had()
        return taken

    async def wait(self) -> None:
        """Have them once nobody else has; as long as that takes. Costs nothing meanwhile.

        Raises:
            OSError: It can't be told.
        """
        loop, lock = self._registry.loop, self._lock
        had: asyncio.Future[None] = loop.create_future()

        def told(error: OSError | None) -> None:
            if had.done():
                lock.release()
            elif error is not None:
                had.set_exception(error)
            else:
                had.set_result(None)

        def wait() -> None:
            error = None
            try:
                lock.acquire_when_free()
            except OSError as failure:
                error = failure
            try:
                loop.call_soon_threadsafe(told, error)
            except RuntimeError:  # the engine has ended meanwhile
                lock.release()
            if self._over:
                lock.release()

        # Nothing wakes a thread that waits for a lock: it stays behind if the engine ends first, and lets go at once.
        threading.Thread(target=wait, name="jobdeck-turn", daemon=True).start()
        await had
        self.noted = await self._read()
        await self._had()

    def note(self, stopped: tuple[str, ...], ready: tuple[str, ...], slots: dict[str, str]) -> None:
        """What the next one is to know, should we die."""
        noted = msgspec.structs.replace(self._us, stopped=stopped, ready=ready, slots=slots)
        if noted != self._saved:
            self._saved = noted
            self._save(noted)

    def let_go(self) -> None:
        """The engine ends: what is left runs on, and all of it is for the next one. Before its writer ends."""
        if self._lock.held:
            self._save(msgspec.structs.replace(self._saved, host=None))

    def release(self) -> None:
        """Let the next one have them: once nothing of ours is left that it could double. Safe to call at any time."""
        self._over = True
        self._lock.release()

    async def _read(self) -> Noted:
        try:
            return await aside("jobdeck-jobs", lambda: read_noted(self._path, self._registry.told_by_file))
        except OSError as error:
            self._registry.trouble(f"{self._path} can't be read", error)
            return Noted()

    async def _had(self) -> None:
        """They are ours. Who had them and didn't let go is dying: only once it is dead its jobs can be taken over."""
        before = self.noted
        if before.host is not None and before.host != self._us.host and before.lives(boot_id()):
            dead = asyncio.Event()
            self._registry.ends.watch(before.host, dead.set)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(dead.wait(), _DYING_SECONDS)

    def _save(self, noted: Noted) -> None:
        saved = self._registry.writer.save(self._path, msgspec.json.encode(noted))
        saved.add_done_callback(lambda done: done.exception())  # told by the writer, which tries it again
