"""Work that may block, off the engine's loop: each piece on a daemon thread of its own.

No pool: one piece that never returns (a dead network folder) must neither hold up the next nor keep the host alive.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def aside(name: str, work: Callable[[], T]) -> T:
    """What ``work`` returns or raises; it runs on a new thread of that name.

    Raises:
        OSError: No thread can be made (the limit of processes is reached).
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()

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
        try:
            loop.call_soon_threadsafe(deliver, result, error)
        except RuntimeError:
            return  # the engine has shut down

    try:
        threading.Thread(target=run, name=name, daemon=True).start()
    except RuntimeError as error:
        raise BlockingIOError(11, "Resource temporarily unavailable") from error
    return await answer
