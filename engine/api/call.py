"""A verb's answer on its way: `result` for threads, ``await`` for loops."""

import asyncio
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Generic, TypeVar

T = TypeVar("T")


class EngineGone(RuntimeError):
    """The engine thread has ended: no call can be answered any more."""


class Call(Generic[T]):
    """One call that was made to an engine; ``patience`` is how long it may rightly take, in seconds."""

    def __init__(self, future: "Future[T]", what: str = "", patience: float = 0.0) -> None:
        self.future = future
        self.what = what
        self.patience = patience
        self.made_at = time.monotonic()
        self.on_leave: Callable[[], None] | None = None
        """Tells the engine that nobody is there any more for the answer."""

    def result(self, timeout: float | None = None) -> T:
        """The answer, waiting for it at most ``timeout`` seconds.

        Raises:
            TimeoutError: No answer yet; the call goes on.
            EngineGone: The engine ended before it answered.
        """
        return self.future.result(timeout)

    def done(self) -> bool:
        """Has it been answered?"""
        return self.future.done()

    def when_done(self, then: Callable[["Call[T]"], None]) -> None:
        """Run ``then`` on the answering thread (at once if already answered); it must not block."""
        waiting = [self]  # taken out when answered: else future and call would hold each other until a collection
        self.future.add_done_callback(lambda _future: then(waiting.pop()))

    def leave(self) -> None:
        """Wait for the answer no longer, as one who is called away: a ``wait`` then answers ``interrupted``, and its
        job's end is told as if nobody had waited. Other verbs go on. Who is cancelled while it awaits a call leaves it.
        """
        if self.on_leave is not None:
            self.on_leave()

    def __await__(self) -> Generator[object, None, T]:
        try:
            return (yield from asyncio.wrap_future(self.future).__await__())
        except asyncio.CancelledError:
            self.leave()
            raise
