"""The console in a shell with job control, and signals from outside: the terminal is always given back."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from host import Host
from living import alive, command, tree_of
from terminals import CONSOLE, Terminal
from waiting import wait_until

FLOOD = "i=0; while :; do i=$((i+1)); echo tick $i $i $i; done"
TICKS = "i=0; while :; do i=$((i+1)); echo tick $i; sleep 0.05; done"
SHELL = ["bash", "--norc", "--noprofile", "-i"]


@contextmanager
def in_a_shell(folder: Path, script: str = TICKS) -> Iterator[tuple[Terminal, psutil.Process]]:
    """The console as a person starts it, at the prompt of a shell."""
    (folder / "ticks").write_text(script)
    with Terminal(SHELL, folder) as terminal:
        wait_until(lambda: terminal.screen().strip(), what="a prompt")
        terminal.type("PS1='prompt> '; " + " ".join(CONSOLE) + " 'sh ticks'")
        terminal.keys("Enter")
        terminal.shows("● 1 running")
        terminal.shows("tick ")
        shell = psutil.Process(int(terminal.format("#{pane_pid}")))
        yield terminal, next(one for one in shell.children(recursive=True) if "tui.cli.main" in command(one))


def modes(terminal: Terminal) -> str:
    return terminal.format("#{mouse_any_flag}#{alternate_on}#{cursor_flag}")


def threads(process: psutil.Process) -> list[str]:
    """The names of its threads."""
    found = []
    for one in process.threads():
        with suppress(OSError):  # it ended meanwhile
            found.append(Path(f"/proc/{process.pid}/task/{one.id}/comm").read_text())
    return found


def screen_is_whole(terminal: Terminal) -> None:
    """Every part is painted: header, stack, tabs, pane, footer."""
    for text in ("jobdeck   ● 1 running", "JOBS  1 running", "● sh ticks", "follow ▼", "· pid", "q quit"):
        terminal.shows(text)


@pytest.mark.parametrize("how", ["key", "TSTP", "STOP"])
def test_a_suspended_console_comes_back_whole_and_its_jobs_go_on(tmp_path: Path, how: str) -> None:
    with in_a_shell(tmp_path) as (terminal, console):
        for _ in range(2):
            if how == "key":
                terminal.keys("C-z")
            else:
                console.send_signal(getattr(signal, f"SIG{how}"))
            wait_until(lambda: console.status() == psutil.STATUS_STOPPED)
            if how != "STOP":
                terminal.shows("Stopped")
                wait_until(lambda: modes(terminal) == "001", what="the terminal to be given back")
            terminal.type("fg")
            terminal.keys("Enter")
            wait_until(lambda: console.status() != psutil.STATUS_STOPPED)
            screen_is_whole(terminal)
            wait_until(lambda: modes(terminal) == "110", what="the console's modes")
        wait_until(lambda: sum(name.startswith("textual-input") for name in threads(console)) <= 1, what="one reader")
        terminal.keys("q")
        terminal.shows("Kill and leave")
        terminal.keys("y")
        wait_until(lambda: not console.is_running())
        terminal.type("echo [ended $?]")  # a shell forgets the rest of a line whose program was stopped
        terminal.keys("Enter")
        terminal.shows("[ended 0]")
        assert modes(terminal) == "001"


def test_stopping_in_the_midst_of_painting_holds_nothing_up(tmp_path: Path) -> None:
    with in_a_shell(tmp_path, FLOOD) as (terminal, console):
        for _ in range(10):
            console.send_signal(signal.SIGTSTP)
            wait_until(lambda: console.status() == psutil.STATUS_STOPPED)
            wait_until(lambda: modes(terminal) == "001", what="the terminal to be given back")
            terminal.type("fg")
            terminal.keys("Enter")
            wait_until(lambda: modes(terminal) == "110", what="the console's modes")
        console.send_signal(signal.SIGTERM)
        wait_until(lambda: not console.is_running())


def test_ctrl_z_without_a_shell_above_says_so(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, TICKS], tmp_path) as terminal:
        terminal.shows("tick 3")
        terminal.keys("C-z")
        terminal.shows("no shell to go back to")
        assert terminal.console().status() != psutil.STATUS_STOPPED


@pytest.mark.parametrize("number", [signal.SIGQUIT, signal.SIGUSR1, signal.SIGINT], ids=lambda number: number.name)
def test_any_signal_that_ends_us_ends_the_jobs_and_restores_the_terminal(
    tmp_path: Path, number: signal.Signals
) -> None:
    with Terminal([*CONSOLE, TICKS], tmp_path) as terminal:
        terminal.shows("tick 3")
        tree = tree_of(terminal.console().pid)
        os.kill(terminal.console().pid, number)
        terminal.shows(f"[ended {128 + number}]")
        assert modes(terminal) == "001"
        screen = terminal.shows("icanon")
        assert "-icanon" not in screen and "Traceback" not in screen
        assert alive(tree) == []


def test_being_continued_while_leaving_doesnt_bring_the_console_back(tmp_path: Path) -> None:
    with Terminal([*CONSOLE, TICKS], tmp_path) as terminal:
        terminal.shows("tick 3")
        console = terminal.console()
        console.send_signal(signal.SIGTERM)

        def ended() -> bool:
            with suppress(psutil.NoSuchProcess):
                if console.status() != psutil.STATUS_ZOMBIE:
                    console.send_signal(signal.SIGCONT)
            return "[ended 143]" in terminal.screen()

        wait_until(ended)
        assert modes(terminal) == "001"


def gave_back(host: Host) -> bool:
    return host.cooked and host.said.rfind(b"\x1b[?1049l") > host.said.rfind(b"\x1b[?1049h") >= 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT], ids=lambda number: number.name)
def test_a_signal_while_the_console_takes_the_terminal_gives_it_back(tmp_path: Path, number: signal.Signals) -> None:
    with Host([], tmp_path) as host:
        wait_until(lambda: b"\x1b[?1049h" in host.said, what="the terminal to be taken")
        os.kill(host.pid, number)
        assert host.ends() == 128 + number
        assert gave_back(host)


def test_a_signal_that_comes_again_and_again_leaves_no_terminal_half_given_back(tmp_path: Path) -> None:
    with Host([TICKS], tmp_path) as host:
        host.shows("tick 3")
        while host.runs:
            os.kill(host.pid, signal.SIGTERM)
            time.sleep(0.002)
        host.ends()
        assert gave_back(host)


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_that_cannot_is_refused_before_anything_is_written_to_it(tmp_path: Path, term: str) -> None:
    with Terminal(["env", f"TERM={term}", *CONSOLE], tmp_path) as terminal:
        screen = terminal.shows("[ended 2]")
        assert "jobdeck run -- COMMAND" in screen
        assert modes(terminal) == "001"


def test_pasted_lines_are_seen_before_they_run(tmp_path: Path) -> None:
    with Terminal(CONSOLE, tmp_path) as terminal:
        terminal.shows("q quit")
        terminal.keys("a")
        terminal.shows("New job")
        terminal._run("set-buffer", "echo first\necho second\nsleep 7707\n")
        terminal._run("paste-buffer", "-p")
        terminal.shows("echo first⏎echo second⏎sleep 7707")
        terminal.keys("Enter")
        terminal.loses("New job")
        terminal.shows("second")
        terminal.keys("X")
        terminal.shows("⊘")


def test_many_jobs_that_end_at_once_let_the_console_leave_in_order(tmp_path: Path) -> None:
    for _ in range(5):
        with Terminal([*CONSOLE, *[f"sleep 771{number}" for number in range(6)]], tmp_path) as terminal:
            terminal.shows("6 running")
            terminal.keys("q")
            terminal.shows("Kill and leave")
            terminal.keys("x")
            screen = terminal.shows("[ended 0]")
            assert "Error" not in screen
