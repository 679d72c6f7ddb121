"""How a command's way into its scope went: told by ``systemd-run``, and by the launcher once it has been reached."""

import asyncio
import os

from engine.process.descriptors import make_pipe
from engine.process.launch import IN_SCOPE

_MOST_BYTES = 4096


class ScopeError(Exception):
    """A command couldn't be brought into a scope. Nothing of it has run."""


class Doorway:
    """A pipe that is standard error on the way in, so that nothing of it gets into the job's output."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._read_end, self.write_end = make_pipe()
        os.set_blocking(self._read_end, False)
        self._said = ""

    async def passed(self, seconds: float) -> None:
        """Wait until the launcher has been reached.

        Raises:
            ScopeError: It never was; the text says why.
        """
        told: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_reader(self._read_end, self._hear, told)
        try:
            await asyncio.wait_for(told, seconds)
        except TimeoutError:
            raise ScopeError(f"systemd hasn't answered within {seconds:g} s") from None
        finally:
            self._loop.remove_reader(self._read_end)
        if IN_SCOPE not in self._said:
            raise ScopeError(" ".join(self._said.split()) or "systemd-run ended and said nothing")

    def _hear(self, told: "asyncio.Future[None]") -> None:
        try:
            piece = os.read(self._read_end, _MOST_BYTES)
        except BlockingIOError:
            return
        self._said = (self._said + piece.decode("utf-8", "replace"))[-_MOST_BYTES:]
        if (not piece or IN_SCOPE in self._said) and not told.done():
            told.set_result(None)

    def close(self) -> None:
        """Close our end; ``write_end`` is its user's."""
        if self._read_end >= 0:
            end, self._read_end = self._read_end, -1
            os.close(end)
