"""On its way to one job's input: what is typed, in order, as fast as the job takes it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from engine.results import Refused
from tui.bridge.bridge import Bridge

PIECE_BYTES = 65_536
"""Sent in one call at most."""
MOST_BYTES = 4 << 20
"""So much may wait here; what comes on top isn't taken."""
RETRY_SECONDS = 0.05
PATIENCE = 40
"""So often a job that doesn't read is asked before what waits is given up: about two seconds."""


class Outbox:
    """Of one stretch of typing. What can't be sent is told, and nothing after it is sent out of turn."""

    def __init__(
        self, bridge: Bridge, session_id: str, told: Callable[[str], None],
        run: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:  # fmt: skip
        self._bridge = bridge
        self._session_id = session_id
        self._told = told
        self._run = run
        self._waiting = bytearray()
        self._sending = False

    def put(self, data: bytes) -> None:
        """Send this after what was put before."""
        if not data:
            return
        if len(self._waiting) + len(data) > MOST_BYTES:
            self._told(f"not sent: the job is not reading, {len(self._waiting):,} bytes wait already")
            return
        self._waiting += data
        if not self._sending:
            self._sending = True
            self._run(self._send())

    async def _send(self) -> None:
        tries = 0
        try:
            while self._waiting:
                part = bytes(self._waiting[:PIECE_BYTES])
                text = part.decode("utf-8", "surrogateescape")  # a character that is cut in two arrives whole
                answer = await self._bridge.ask(self._bridge.engine.type_in(self._session_id, text))
                if not isinstance(answer, Refused):
                    del self._waiting[: len(part)]
                    tries = 0
                    self._told("")
                elif answer.retry and tries < PATIENCE:
                    tries += 1
                    await asyncio.sleep(RETRY_SECONDS)
                else:
                    lost = len(self._waiting)
                    self._told(f"not sent, {lost:,} byte{'s' * (lost != 1)}: {answer.error}")
                    self._waiting.clear()
        finally:
            self._sending = False
