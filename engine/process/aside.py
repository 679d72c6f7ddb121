"""Work that may block, off the engine's loop: each piece on a daemon thread of its own.

No pool: one piece that never returns (a dead network folder) must neither hold up the next nor keep the host alive.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def aside(name: str, work: Callable[[], T], unwanted: Callable[[T], object] | None = None) -> T:
    """What ``work`` returns or raises; it runs on a new thread of that name.

    ``unwanted`` is given what it returns if nobody waits for it any more, on whichever thread that is noticed.

    Raises:
        OSError: No thread can be made (the limit of processes is reached).
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    one_of_us = threading.Lock()
    made: list[T] = []
    left = False

    def deliver(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result, error = None, None
        try:
            result = work()
        except Exception as failure:  # noqa: BLE001  it is the waiting side's to handle
            error = failure
        else:
            with one_of_us:
                made.append(result)
                late = left
            if late:
                drop()
        try:
            loop.call_soon_threadsafe(deliver, result, error)
        except RuntimeError:
            return  # the engine has shut down

    def drop() -> None:
        if unwanted is not None:
            unwanted(made[0])

    try:
        threading.Thread(target=run, name=name, daemon=True).start()
    except RuntimeError as error:
        raise BlockingIOError(11, "Resource temporarily unavailable") from error
    try:
        return await answer
    except asyncio.CancelledError:
        with one_of_us:
            left = True
            there = bool(made)
        if there:
            drop()
        raise
