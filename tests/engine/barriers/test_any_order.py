"""Whatever happens to a wait, in whatever order: it is released exactly once, and snapshots agree with events."""

import random
from collections.abc import Callable

import pytest
from barriers import Told
from manual_clock import ManualClock
from waiting import wait_until

from engine import Engine, JobSpec, WaitSpec
from engine.events import BarrierReleased, BarrierSet, Snapshot
from engine.results import WaitSet


@pytest.mark.parametrize("seed", range(12))
def test_each_wait_is_set_and_released_exactly_once(timed: Engine, clock: ManualClock, seed: int) -> None:
    chance = random.Random(seed)
    told = Told(timed)
    spec = JobSpec(command="while read line; do echo $line; done", stdin="pipe", watch_patterns=("HIT",))
    jobs = [timed.spawn(spec).result() for _job in range(4)]
    waits: list[str] = []
    lifted: list[str] = []
    late: list[Told] = []

    def wait() -> None:
        job = chance.choice(jobs)
        spec = chance.choice(
            [
                WaitSpec(session_id=job.session_id),
                WaitSpec(session_id=job.session_id, on="success", then="true"),
                WaitSpec(session_id=job.session_id, on="match", pattern="HIT", then="true"),
                WaitSpec(session_id=job.session_id, on="any"),
                WaitSpec(pid=job.pid),
                WaitSpec(seconds=chance.choice([1, 100, 3000])),
            ]
        )
        found = timed.wait_for(spec).result()
        if isinstance(found, WaitSet):  # a pid may be dead by now
            waits.append(found.barrier.barrier_id)

    def lift() -> None:
        if waits:
            wanted = chance.choice(waits)
            if timed.lift(wanted).result().lifted:
                lifted.append(wanted)

    deeds: list[Callable[[], object]] = [
        wait,
        wait,
        wait,
        lift,
        lambda: timed.submit(chance.choice(jobs).session_id, "HIT now"),
        lambda: timed.close(chance.choice(jobs).session_id),
        lambda: timed.kill(chance.choice(jobs).session_id, now=True),
        lambda: clock.advance(timed, chance.choice([0.5, 50, 1000])),
        lambda: clock.jump(timed, chance.choice([-500, 500])),
        lambda: late.append(Told(timed)),
    ]
    for _deed in range(60):
        chance.choice(deeds)()
    for job in jobs:
        timed.kill(job.session_id, now=True).result()
    clock.advance(timed, 10_000)
    wait_until(lambda: {event.barrier.barrier_id for event in told.releases} == set(waits))
    timed.list().result()  # who came late hears of it in the same turn of the loop, after those who came first
    assert sorted(view.barrier_id for view in told.set) == sorted(waits)
    assert sorted(event.barrier.barrier_id for event in told.releases) == sorted(waits)
    outcomes = {event.barrier.barrier_id: event.release.outcome for event in told.releases}
    assert sorted(lifted) == sorted(barrier_id for barrier_id, outcome in outcomes.items() if outcome == "lifted")
    for feed in late:  # from its snapshot on, each standing wait is released to it, and nothing else
        first = feed.events[0]
        assert isinstance(first, Snapshot)
        standing = {view.barrier_id for view in first.barriers}
        for event in feed.events:
            if isinstance(event, BarrierSet):
                standing.add(event.barrier.barrier_id)
            elif isinstance(event, BarrierReleased):
                standing.remove(event.barrier.barrier_id)
        assert standing == set()
