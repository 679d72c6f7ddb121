"""Who has asked for a restart and waits for the answer: many at once get the same."""

import asyncio
import contextlib

from engine.results import Refused, Started

Answer = Started | Refused | Exception


class Asked:
    """Those of one job. On the engine's loop alone."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[Started | Refused]] = []

    async def answered(self) -> Started | Refused:
        """What is answered next.

        Raises:
            Exception: As it was answered.
        """
        asked: asyncio.Future[Started | Refused] = asyncio.get_running_loop().create_future()
        self._waiting.append(asked)
        return await asked

    def take(self) -> "Asked":
        """Those who wait now; who asks from now on waits for another answer."""
        taken = Asked()
        taken._waiting, self._waiting = self._waiting, []
        return taken

    def answer(self, answer: Answer) -> None:
        """Tell all who wait."""
        waiting, self._waiting = self._waiting, []
        for one in waiting:
            with contextlib.suppress(asyncio.InvalidStateError):
                if isinstance(answer, Exception):
                    one.set_exception(answer)
                else:
                    one.set_result(answer)
