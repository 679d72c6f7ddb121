"""Leaving with jobs that are kept, dying with them, and coming back: in a real terminal, over real processes."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from held import end_all_held
from host import Host, pane_rows
from waiting import wait_until

COUNT = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.05; done"


@pytest.fixture(autouse=True)
def ended(home: Path) -> Iterator[None]:
    """Jobs that live on end with the test."""
    yield
    end_all_held()


def start(host: Host, name: str, line: str, *, keep: bool) -> None:
    host.keys("a")
    host.shows("New job")
    host.keys(line, "\t", name)
    host.shows(name)
    if keep:
        # The last of the dialog's fields before its buttons.
        host.keys("\t", "\t", "\t", "\t", "\t", " ")
        host.shows("[X] ∞ keep when jobdeck ends")
    host.keys("\r")
    host.loses("New job")
    host.shows(f"● {name}")


def ticks(host: Host) -> list[int]:
    """The numbered lines of the pane, which is right of the stack's border."""
    right = [row.partition("▕")[2].split() for row in host.screen()]
    return [int(words[1]) for words in right if len(words) >= 2 and words[0] == "tick" and words[1].isdigit()]


def whole_page(host: Host, other_than: list[int]) -> list[int]:
    """Another page, painted to its end: seen twice, and none is missing in it."""

    def shown() -> list[int]:
        page, again = ticks(host), ticks(host)
        return page if page and page == again != other_than and page == list(range(page[0], page[-1] + 1)) else []

    return wait_until(shown, what="a page without a gap")


def reaches(host: Host, number: int) -> list[int]:
    return wait_until(lambda: seen if (seen := ticks(host)) and seen[-1] >= number else [], what=f"tick {number}")


def test_a_kept_job_is_there_again_with_all_of_its_output_and_goes_on(tmp_path: Path) -> None:
    with Host([], tmp_path) as host:
        host.shows("No jobs yet")
        start(host, "beat", COUNT, keep=True)
        start(host, "plain", "sleep 7717", keep=False)
        host.keys("1")
        last = reaches(host, 20)[-1]
        host.keys("q")
        host.shows("Keep ends plain and leaves the rest running.")
        host.keys("k")
        assert host.ends() == 0
    with Host([], tmp_path) as host:
        host.shows("1 runs on")
        seen = reaches(host, last + 10)
        host.keys("g")
        wait_until(lambda: ticks(host)[:1] == [1], what="the first line")
        page = whole_page(host, [])
        assert page[0] == 1
        while page[-1] < last:
            before = page
            host.keys(" ")
            page = whole_page(host, before)
            assert page[0] <= before[-1] + 1 <= page[-1], "a page began after a gap"
        host.keys("f")
        reaches(host, seen[-1] + 20)
        host.keys("x")
        host.shows("⊘ 1 killed")


def test_after_a_death_both_are_told(tmp_path: Path) -> None:
    with Host([], tmp_path) as host:
        host.shows("No jobs yet")
        start(host, "beat", COUNT, keep=True)
        start(host, "plain", "sleep 7718", keep=False)
        os.kill(host.pid, signal.SIGKILL)
        host.ends()
    with Host([], tmp_path) as host:
        host.shows("While you were away")
        host.shows("plain  lost")
        host.shows("beat  runs on")
        host.keys("\x1b")
        host.loses("While you were away")
        host.keys("A")
        host.shows("beat  runs on")
        host.keys("j", "\r")
        host.loses("While you were away")
        seen = reaches(host, 1)
        reaches(host, seen[-1] + 20)
        host.keys("x")
        host.shows("⊘ 1 killed")


def test_a_kept_job_that_ends_while_nobody_is_there_is_told_and_its_tab_shows_its_last_words(tmp_path: Path) -> None:
    with Host([], tmp_path) as host:
        host.shows("No jobs yet")
        start(host, "brief", "while [ ! -e go ]; do sleep 0.05; done; echo the end; exit 5", keep=True)
        host.keys("q")
        host.shows("Keep leaves it running.")
        host.keys("k")
        assert host.ends() == 0
        host.shows("1 job lives on")
    (tmp_path / "go").touch()
    wait_until(lambda: next((tmp_path / "home" / "held").glob("proc_*/exit*"), None), what="its keeper to note the end")
    with Host([], tmp_path) as host:
        host.shows("While you were away")
        host.shows("✗ brief  ended, exit 5")
        host.keys("\x1b")
        host.loses("While you were away")
        wait_until(lambda: "the end" in pane_rows(host.screen()), what="its last words in its tab")


def test_one_that_nobody_kept_and_nobody_ended_is_taken_over_and_can_be_ended(tmp_path: Path) -> None:
    with Host(["trap '' HUP; echo deaf; while :; do sleep 7719; done"], tmp_path) as host:
        host.shows("● 1 running")
        wait_until(
            lambda: "deaf" in [row.partition("▕")[2].strip(" █▁") for row in host.screen()], what="its first word"
        )
        console = psutil.Process(host.pid)
        guards = [one for one in console.children() if "supervisor.sh" in " ".join(one.cmdline())]
        console.suspend()  # it would have another supervisor at once
        for process in (*guards, console):
            process.kill()
        host.ends()
    with Host([], tmp_path) as host:
        host.shows("While you were away")
        host.shows("runs on, without its output")
        host.keys("\x1b")
        host.loses("While you were away")
        host.shows("? 1 detached")
        host.shows("detached · x ends it")
        host.keys("\r")
        host.shows("taken over without its output: x ends it")
        host.keys("q")
        host.shows("can't be kept: taken over without what could keep it")
        host.keys("\x1b")
        host.loses("can't be kept")
        host.keys("x")
        host.shows("⊘ 1 killed")
