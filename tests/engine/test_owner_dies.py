"""The owner's death takes its jobs with it, however it died and whatever shape they have (spec 3.3)."""

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from living import alive
from owners import Owner, by_shape, owner
from waiting import wait_until


def kill_supervisor_first(dying: Owner) -> None:
    """It is replaced, and the new one knows all."""
    os.kill(dying.supervisor, signal.SIGKILL)
    wait_until(lambda: dying.supervisor_now() not in (0, dying.supervisor), what="a new supervisor")
    os.kill(dying.process.pid, signal.SIGKILL)


WAYS: dict[str, Callable[[Owner], object]] = {
    "SIGKILL": lambda dying: os.kill(dying.process.pid, signal.SIGKILL),
    "SIGTERM": lambda dying: os.kill(dying.process.pid, signal.SIGTERM),
    "crash": lambda dying: os.kill(dying.process.pid, signal.SIGSEGV),
    "SIGKILL of its group": lambda dying: os.killpg(dying.process.pid, signal.SIGKILL),
    "its supervisor first": kill_supervisor_first,
}


@pytest.fixture(scope="module")
def control(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Owner]:
    """Another owner with the same jobs, which lives: killing everything can't pass."""
    with owner(tmp_path_factory.mktemp("control")) as living:
        yield living


@pytest.mark.parametrize("way", WAYS)
def test_no_job_of_any_shape_survives_and_the_controls_do(way: str, control: Owner, tmp_path: Path) -> None:
    theirs = control.family()
    with owner(tmp_path) as dying:
        ours = dying.family()
        before = by_shape(ours)
        assert before == by_shape(theirs)
        WAYS[way](dying)
        dying.process.wait()
        try:
            wait_until(lambda: not alive(ours) and not dying.family(), what="the owner's jobs to end")
        finally:
            after = by_shape(dying.family())
            print_table(way, before, after, Counter(theirs[one] for one in theirs if alive([one])))
        assert len(alive(theirs)) == len(theirs)


def print_table(way: str, before: Counter[str], after: Counter[str], controls: Counter[str]) -> None:
    print(f"\n{way:<32} before  survivors  controls alive")
    for shape in before:
        print(f"  {shape:<30} {before[shape]:>6} {after[shape]:>10} {controls[shape]:>15}")
