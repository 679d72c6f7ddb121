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
        self.future.add_done_callback(lambda _future: then(self))

    def __await__(self) -> Generator[object, None, T]:
        return asyncio.wrap_future(self.future).__await__()
