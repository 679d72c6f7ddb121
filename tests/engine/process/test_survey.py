"""Trees that are looked at again and again: what is read of whom (spec 5.1)."""

import asyncio
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest
from waiting import wait_until

from engine.process import survey as surveying
from engine.process.identity import Identity, identify
from engine.process.marks import JobMarks
from engine.process.probe import Probe
from engine.process.survey import Survey
from engine.process.table import Row, read_row
from engine.registry.metering import Metering

T = TypeVar("T")

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="psutil lists everybody elsewhere")


@pytest.fixture
def started() -> Iterator[list["subprocess.Popen[bytes]"]]:
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        process.communicate()  # they read to the end of their input, and so do their children


def start(started: list["subprocess.Popen[bytes]"], line: str = "read x") -> Identity:
    words = ["/bin/sh", "-c", f"exec 3<&0; {line}"]
    started.append(subprocess.Popen(words, stdin=subprocess.PIPE, start_new_session=True))
    one = identify(started[-1].pid)
    assert one is not None
    return one


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    counted: Counter[int] = Counter()

    def read(pid: int) -> Row | None:
        counted[pid] += 1
        return read_row(pid)

    monkeypatch.setattr(surveying, "read_row", read)
    return counted


def pids(survey: Survey, leader: Identity) -> list[int]:
    return sorted(row.pid for row in survey.read({"job": leader})["job"])


def test_a_tree_is_read_at_each_look_and_others_once(
    started: list["subprocess.Popen[bytes]"], reads: Counter[int]
) -> None:
    leader, other = start(started, "(read x <&3) & read x"), start(started)
    survey = Survey(JobMarks())
    wait_until(lambda: len(pids(survey, leader)) == 2, what="the child")
    pids(survey, leader)
    before = reads.copy()
    for _ in range(3):
        found = pids(survey, leader)
    looks = reads - before
    assert [looks[pid] for pid in found] == [3, 3]
    assert not {1, other.pid} & looks.keys()
    assert before[1] == 1


def test_a_tree_that_was_nobodys_until_now_is_read_anew(
    started: list["subprocess.Popen[bytes]"], reads: Counter[int]
) -> None:
    leader = start(started, "(read x <&3) & read x")
    survey = Survey(JobMarks())
    wait_until(lambda: len(pids(Survey(JobMarks()), leader)) == 2, what="the child")
    survey.read({})
    survey.read({})
    reads.clear()
    found = pids(survey, leader)
    assert len(found) == 2
    assert {pid: reads[pid] for pid in found} == dict.fromkeys(found, 1)


def test_looks_that_are_dear_are_rare() -> None:
    class Dear(Probe):
        looks = 0

        async def survey(self, work: Callable[[Survey], T]) -> T:
            self.looks += 1

            def spend(survey: Survey) -> T:
                return work(Spending(JobMarks()))

            return await super().survey(spend)

    class Spending(Survey):
        def read(self, leaders: surveying.Leaders) -> dict[str, list[Row]]:
            ends = time.thread_time() + 0.05
            while time.thread_time() < ends:
                pass
            return {name: [] for name in leaders}

    async def ask() -> int:
        probe = Dear()
        metering = Metering(probe)
        ends = time.monotonic() + 1.5
        while time.monotonic() < ends:  # as long as two or three cheap looks
            await metering.measure({"job": None})
            await asyncio.sleep(0.05)
        return probe.looks

    assert asyncio.run(ask()) == 1
