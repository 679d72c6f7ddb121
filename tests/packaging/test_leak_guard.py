"""The guard of tests/conftest.py sees what it is there for."""

import os
import subprocess
from pathlib import Path

import psutil
import pytest
from living import command
from orphans import descendants, end_leftovers
from waiting import PATIENCE, wait_until


def test_a_detached_grandchild_is_named_and_ended() -> None:
    before = descendants()
    subprocess.run(["sh", "-c", "setsid sleep 4321 & exit 0"], check=True)
    wait_until(lambda: "sleep 4321" in map(command, descendants()), what="the orphan to reach us")

    assert [line.partition(": ")[2] for line in end_leftovers(before, grace=0.1)] == ["sleep 4321"]
    assert descendants() == before


def test_a_process_that_is_just_ending_is_no_leftover() -> None:
    before = descendants()
    subprocess.run(["sh", "-c", "sleep 0.3 & exit 0"], check=True)
    assert end_leftovers(before, grace=PATIENCE) == []


def test_an_orphan_is_reaped_and_a_child_of_ours_is_not(tmp_path: Path) -> None:
    subprocess.run(["sh", "-c", f"sleep 0.2 & echo $! > {tmp_path}/orphan"], check=True)
    orphan = int((tmp_path / "orphan").read_text())
    child = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 7"], os.environ)

    wait_until(lambda: not psutil.pid_exists(orphan), what="the orphan to be reaped")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_wait_until_says_what_it_waited_for() -> None:
    with pytest.raises(AssertionError, match=r"waited 0\.05 s in vain for rain; the last answer was 0"):
        wait_until(lambda: 0, timeout=0.05, what="rain")
    assert wait_until(lambda: "rain") == "rain"
