"""The one way onto the screen's loop from any other thread."""

import asyncio
import contextvars
from collections import deque
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

WAKE_INTERVAL = 1 / 60
"""Seconds between two wakes at least, however many letters come."""


class Mailbox:
    """A queue of (handler, item) that any thread may fill and the loop's thread empties.

    However much is put in, the loop is woken once, and at most 60 times a second; an idle mailbox costs nothing.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # Else a wake would run in the context of the thread that caused it, where Textual knows of no app.
        self._context = contextvars.copy_context()
        self._letters: deque[Callable[[], object]] = deque()
        self._armed = False
        self._closed = False
        self.last_drain = 0.0
        """When the mailbox was emptied last, on the loop's clock."""

    def put(self, handler: Callable[[T], object], item: T) -> None:
        """Have ``handler(item)`` run on the loop's thread, in the order of the calls. From any thread."""
        self._letters.append(lambda: handler(item))
        if self._armed or self._closed:
            return
        self._armed = True
        try:
            self._loop.call_soon_threadsafe(self._wake, context=self._context)
        except RuntimeError:
            # The loop is closed: the screen is gone and nobody reads letters any more.
            self._closed = True

    def close(self) -> None:
        """Deliver nothing more."""
        self._closed = True
        self._letters.clear()

    def _wake(self) -> None:
        wait = self.last_drain + WAKE_INTERVAL - self._loop.time()
        if wait > 0:
            self._loop.call_later(wait, self._drain)
        else:
            self._drain()

    def _drain(self) -> None:
        # Disarm first: a letter that comes meanwhile may cause one spare wake, but can't be left lying.
        self._armed = False
        self.last_drain = self._loop.time()
        try:
            for _ in range(len(self._letters)):
                if self._closed:
                    return
                self._letters.popleft()()
        finally:
            # A handler that raised is reported by the loop; the letters after it still arrive.
            if self._letters and not self._armed and not self._closed:
                self._armed = True
                self._loop.call_soon(self._wake)
