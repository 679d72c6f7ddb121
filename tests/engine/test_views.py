"""How often jobs' views are told (spec 2.1): each four times a second, and those of many jobs together."""

import asyncio
from collections import Counter
from types import SimpleNamespace
from typing import cast

from waiting import wait_until_async

from engine.registry.job import Job
from engine.registry.views import _TOGETHER_SECONDS, Views

INTERVAL = 0.25


def job(name: str) -> Job:
    return cast("Job", SimpleNamespace(session_id=name))


def test_many_jobs_are_told_together_and_each_as_often_as_it_may() -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        told: list[tuple[float, str]] = []
        turn = 0.0

        def tell(one: Job) -> bool:
            told.append((turn, one.session_id))
            return True

        views = Views(loop, lambda: INTERVAL, tell)
        jobs = [job(str(number)) for number in range(40)]
        began = loop.time()
        for number in range(60):  # by and by, as many jobs write
            views.changed(jobs[number % 40])
            await asyncio.sleep(0.01)
            turn = loop.time()
        await wait_until_async(lambda: len({name for _at, name in told}) == 40)
        passed = loop.time() - began
        tellings = len({at for at, _name in told})
        assert tellings <= passed / _TOGETHER_SECONDS + 1
        assert max(Counter(name for _at, name in told).values()) <= passed / INTERVAL + 1

    asyncio.run(run())


def test_the_first_change_after_a_calm_is_told_at_once_and_the_last_in_the_end() -> None:
    async def run() -> None:
        told: list[str] = []

        def tell(one: Job) -> bool:
            told.append(one.session_id)
            return True

        views = Views(asyncio.get_running_loop(), lambda: INTERVAL, tell)
        one, other, gone = job("one"), job("other"), job("gone")
        views.changed(one)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert told == ["one"]
        for changed in (one, other, gone):
            views.changed(changed)
        views.settled("gone")
        views.tell(other)
        assert told == ["one", "other"]
        await wait_until_async(lambda: len(told) > 2)
        assert told == ["one", "other", "one"]
        views.changed(other)
        views.close()
        await asyncio.sleep(2 * INTERVAL)
        assert told == ["one", "other", "one"]

    asyncio.run(run())
