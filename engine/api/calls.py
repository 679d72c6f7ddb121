"""Calls to a loop on another thread: each is answered, or fails when the loop ends."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from engine.api.call import Call, EngineGone

T = TypeVar("T")


class Calls:
    """Made on any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._unanswered: set[Future[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self.over = False
        """Nothing is answered any more."""

    def serve(self, loop: asyncio.AbstractEventLoop) -> None:
        """They go to this loop, which this thread is about to run."""
        self._loop, self._thread = loop, threading.get_ident()

    def call(self, what: str, make: Callable[[], T]) -> Call[T]:
        """Run ``make`` on the loop. The call raises `EngineGone` if the loop ends before it answers."""

        def answer(future: Future[T]) -> None:
            future.set_result(make())

        return self._call(what, answer, 0.0)

    def call_async(self, what: str, make: Callable[[], Coroutine[Any, Any, T]], patience: float = 0.0) -> Call[T]:
        """Run a coroutine on the loop, which may rightly take ``patience`` seconds; else as `call`."""

        def answer(future: Future[T]) -> None:
            asyncio.get_running_loop().create_task(make()).add_done_callback(lambda done: _copy(done, future))

        return self._call(what, answer, patience)

    def post(self, do: Callable[[], None]) -> None:
        """Run ``do`` on the loop, unless that has ended."""
        if self._loop is None:
            return
        # On the loop's own thread it needs no waking, which is a write to a socket.
        own = threading.get_ident() == self._thread
        try:
            (self._loop.call_soon if own else self._loop.call_soon_threadsafe)(do)
        except RuntimeError:
            return

    def end(self) -> None:
        """The loop has ended: what is unanswered fails, and so does what is still asked."""
        with self._lock:
            self.over = True
            unanswered = tuple(self._unanswered)
        for future in unanswered:
            _fail(future, EngineGone("the engine has ended; its jobs end with this process"))

    def _call(self, what: str, answer: Callable[[Future[T]], None], patience: float) -> Call[T]:
        future: Future[T] = Future()

        def run() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    answer(future)
                except Exception as error:  # noqa: BLE001  it is the caller's to handle
                    future.set_exception(error)

        with self._lock:
            over = self.over
            if not over:
                self._unanswered.add(future)
        if over:
            future.set_exception(EngineGone("the engine has shut down"))
        else:
            future.add_done_callback(self._answered)
            self.post(run)
        return Call(future, what, patience)

    def _answered(self, future: "Future[Any]") -> None:
        with self._lock:
            self._unanswered.discard(future)


def _copy(done: "asyncio.Future[T]", future: "Future[T]") -> None:
    if future.done():
        return
    if done.cancelled():
        future.set_exception(EngineGone("the engine ended before it answered"))
    elif (error := done.exception()) is not None:
        future.set_exception(error)
    else:
        future.set_result(done.result())


def _fail(future: "Future[Any]", error: Exception) -> None:
    try:
        if not future.done():
            future.set_exception(error)
    except Exception:  # noqa: BLE001  answered by another thread in between
        return
