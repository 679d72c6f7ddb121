"""The real console in a real terminal, driven by keys, judged by its screen."""

import os
import re
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest
from living import alive, tree_of
from sizes import SIZES
from terminals import CONSOLE, Terminal
from waiting import PATIENCE, wait_until

SIZE = re.compile(r"(?:▕ |^ |  )\d+ \d+\s*$")
TICKS = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.05; done"


def pane_numbers(screen: str, word: str) -> list[int]:
    """The numbered lines of the pane, which is right of the stack's border."""
    return [int(number) for number in re.findall(rf"▕ ?{word} (\d+) *[▁-█]?\s*$", screen, re.MULTILINE)]


def reaches(terminal: Terminal, word: str, number: int) -> list[int]:
    """Wait until the pane has got to that numbered line; the lines that it shows then."""

    def shown() -> list[int]:
        page = pane_numbers(terminal.screen(), word)
        return page if page and page[-1] >= number else []

    return wait_until(shown, what=f"{word} {number}")


def whole_page(terminal: Terminal, word: str, other_than: list[int]) -> list[int]:
    """Wait for another page of numbered lines, painted to its end: seen twice, and none is missing in it."""

    def shown() -> list[int]:
        page, again = (pane_numbers(terminal.screen(), word) for _ in range(2))
        return page if page and page == again != other_than and page == list(range(page[0], page[-1] + 1)) else []

    return wait_until(shown, what="a page without a gap")


def start_job(terminal: Terminal, line: str) -> None:
    terminal.keys("a")
    terminal.shows("New job")
    terminal.type(line)
    terminal.keys("Enter")
    terminal.loses("New job")


def quit_console(terminal: Terminal) -> None:
    terminal.keys("q")
    terminal.shows("Kill and leave")
    terminal.keys("y")
    terminal.shows("[ended 0]")


def test_a_job_is_started_ticks_live_and_is_killed(tmp_path: Path) -> None:
    with Terminal(CONSOLE, tmp_path) as terminal:
        terminal.shows("q quit")
        start_job(terminal, TICKS)
        first = reaches(terminal, "tick", 5)
        reaches(terminal, "tick", first[-1] + 10)
        tree = tree_of(terminal.console().pid)[1:]
        terminal.keys("x")
        terminal.shows("⊘ 1 killed")
        wait_until(lambda: not [line for line in alive(tree) if "tick" in line], what="the job's processes to end")
        terminal.keys("q")
        terminal.shows("[ended 0]")
        assert "-icanon" not in terminal.shows("icanon")


def test_a_line_is_submitted_to_a_job_that_reads_and_its_exit_is_told(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, "printf 'name? '; read line; echo hello $line; exit 3"], tmp_path) as terminal:
        terminal.shows("· pid ")
        terminal.keys("s")
        terminal.shows("a line for its input")
        terminal.type("wörld [b]")
        terminal.keys("Enter")
        terminal.shows("hello wörld [b]")
        terminal.shows("exit 3")
        terminal.shows("✗")


def test_a_tab_closed_and_reopened_mid_stream_has_each_line_once_in_order(tmp_path: Path) -> None:
    enough = tmp_path / "enough"
    count = f"i=0; until [ -e {enough} ]; do i=$((i+1)); echo line $i; sleep 0.01; done; sleep 7700"
    with Terminal([*CONSOLE, count], tmp_path, cols=120, rows=40) as terminal:
        reaches(terminal, "line", 20)
        seen = 0
        for round_ in range(20):
            terminal.keys("c")
            terminal.shows("No tab is open")
            time.sleep(0.02 * (round_ % 5))
            terminal.keys("Enter")
            seen = reaches(terminal, "line", seen + 1)[-1]
        enough.touch()  # the last page would go on with the job
        terminal.keys("g")
        wait_until(lambda: 1 in pane_numbers(terminal.screen(), "line"), what="the first line after 'g'")
        page = whole_page(terminal, "line", [])
        assert page[0] == 1
        while page[-1] < seen:
            last = page[-1]
            terminal.keys("PageDown")
            page = whole_page(terminal, "line", page)
            assert page[0] <= last + 1 <= page[-1], "a page began after a gap"


@pytest.mark.parametrize("hidden", [False, True])
def test_keys_work_under_a_flood(tmp_path: Path, hidden: bool) -> None:
    with Terminal([*CONSOLE, "yes flood", "echo calm; sleep 7701"], tmp_path) as terminal:
        terminal.shows("flood")
        if hidden:
            terminal.keys("2")
            terminal.shows("calm")
        for _round in range(5):
            terminal.keys("?")
            terminal.shows("Keys")
            terminal.keys("Escape")
            terminal.loses("Keys")
        start_job(terminal, "echo started-under-flood; sleep 7702")
        terminal.shows("started-under-flood")
        terminal.keys("1")
        terminal.shows("flood")
        terminal.keys("X")
        terminal.shows("⊘")
        quit_console(terminal)


def test_the_terminals_size_reaches_the_job(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text(SIZES)
    with Terminal([*CONSOLE, f"exec {sys.executable} sizes.py"], tmp_path, cols=140, rows=40) as terminal:

        def sizes() -> list[str]:
            return [line.split("  ")[-1].strip(" ▕") for line in terminal.screen().splitlines() if SIZE.search(line)]

        first = wait_until(sizes)[0]
        assert first not in ("0 0", "24 80", "30 120")
        for number, (cols, rows) in enumerate(((100, 30), (180, 50), (80, 24)), 2):
            terminal.resize(cols, rows)
            # One line for each change, no more.
            wait_until(lambda: len(sizes()) == len(set(sizes())) == number, what=f"size {number}")  # noqa: B023


def test_tiny_and_back_survives(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, TICKS], tmp_path) as terminal:
        terminal.shows("tick 3")
        terminal.resize(1, 1)
        time.sleep(0.3)
        terminal.resize(120, 36)
        terminal.shows("q quit")
        before = reaches(terminal, "tick", 3)[-1]
        reaches(terminal, "tick", before + 5)


def test_quit_asks_while_jobs_run_and_cancel_goes_on(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, TICKS], tmp_path) as terminal:
        terminal.shows("tick 3")
        tree = tree_of(terminal.console().pid)
        terminal.keys("q")
        terminal.shows("Kill and leave")
        terminal.keys("Escape")
        terminal.loses("Kill and leave")
        before = reaches(terminal, "tick", 3)[-1]
        reaches(terminal, "tick", before + 5)
        quit_console(terminal)
        assert alive(tree) == []


def test_kill_9_of_the_console_leaves_no_child(tmp_path: Path) -> None:
    lines = [TICKS, "trap '' TERM HUP; while :; do sleep 0.1; done", "sleep 7703 & sleep 7704"]
    with Terminal([*CONSOLE, *lines], tmp_path) as terminal:
        terminal.shows("tick 3")
        terminal.shows("3 running")
        tree = tree_of(terminal.console().pid)
        assert len(tree) >= 5
        terminal.console().kill()
        wait_until(lambda: alive(tree) == [], what="the console's jobs to end")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_the_jobs_and_restores_the_terminal(tmp_path: Path, number: int, code: int) -> None:
    with Terminal([*CONSOLE, TICKS], tmp_path) as terminal:
        terminal.shows("tick 3")
        assert terminal.format("#{mouse_any_flag}#{alternate_on}") == "11"
        tree = tree_of(terminal.console().pid)
        os.kill(terminal.console().pid, number)
        terminal.shows(f"[ended {code}]")
        assert terminal.format("#{mouse_any_flag}#{alternate_on}#{cursor_flag}") == "001"
        assert "-icanon" not in terminal.shows("icanon")
        assert alive(tree) == []


def test_brackets_and_controls_in_output_names_and_toasts_are_text(tmp_path: Path) -> None:
    line = r"printf '[bold red]x[/] [b]no markup[/b] \033]0;TITLE\a\033]52;c;aGFja2Vk\a\033[?1000h[blank s]\n'; exit 4"
    with Terminal([*CONSOLE, line], tmp_path, cols=160) as terminal:
        terminal.shows("[bold red]x[/] [b]no markup[/b] [blank s]")
        terminal.shows("exit 4")
        assert terminal.format("#{pane_title}") != "TITLE"


def test_what_cannot_start_says_so_and_the_console_goes_on(tmp_path: Path) -> None:
    with Terminal(CONSOLE, tmp_path) as terminal:
        terminal.shows("q quit")
        start_job(terminal, "no-such-program-7431")
        terminal.shows("exit 127")
        start_job(terminal, "echo fine; sleep 7705")
        terminal.shows("fine")
        quit_console(terminal)


def test_an_idle_console_costs_next_to_nothing(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, "echo up; sleep 7706"], tmp_path) as terminal:
        terminal.shows("up")
        console = terminal.console()

        def idle() -> bool:
            before = sum(console.cpu_times()[:2])
            time.sleep(1)
            return sum(console.cpu_times()[:2]) - before < 0.1  # the goal is 1 %: this misses by a factor of ten

        wait_until(idle, what="an idle second, once all has started")


def test_without_a_terminal_it_says_so_and_points_to_the_verbs() -> None:
    import subprocess

    done = subprocess.run(
        CONSOLE, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    assert "terminal" in done.stderr and "jobdeck run" in done.stderr
    assert psutil.Process().is_running()
