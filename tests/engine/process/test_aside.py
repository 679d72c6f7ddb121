"""Work off the loop: what nobody waits for any more is given back."""

import asyncio
import threading

import pytest
from waiting import PATIENCE, wait_until, wait_until_async

from engine.process.aside import aside


@pytest.mark.parametrize("when", ["before it is made", "when it is made"])
def test_what_nobody_waits_for_any_more_is_given_back(when: str) -> None:
    begun, may, given_back = threading.Event(), threading.Event(), list[str]()

    def work() -> str:
        begun.set()
        assert may.wait(PATIENCE)
        return "made"

    async def leave() -> None:
        waiting = asyncio.get_running_loop().create_task(aside("test", work, given_back.append))
        await wait_until_async(begun.is_set)
        if when == "when it is made":  # and its answer is on its way
            may.set()
            (worker,) = [one for one in threading.enumerate() if one.name == "test"]
            worker.join(PATIENCE)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(leave())
    may.set()
    wait_until(lambda: given_back)
    assert given_back == ["made"]


def test_what_is_waited_for_is_kept() -> None:
    given_back: list[str] = []
    assert asyncio.run(aside("test", lambda: "made", given_back.append)) == "made"
    assert given_back == []
