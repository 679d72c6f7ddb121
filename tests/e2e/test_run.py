"""``jobdeck run``: a job in the foreground, as transparent as a shell's (spec 4.4)."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import psutil
import pytest
from living import alive, command, tree_of
from waiting import PATIENCE, wait_until

JOBDECK = [sys.executable, "-P", "-m", "tui.cli.entry"]
ENV = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def jobdeck(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*JOBDECK, *args], input=stdin, capture_output=True, timeout=PATIENCE, check=False, env=ENV)


def popen(*args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*JOBDECK, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENV)


def test_streams_are_kept_apart_and_the_exit_code_passes_through() -> None:
    done = jobdeck("run", "-c", "echo out; echo err >&2; exit 7")
    assert (done.stdout, done.stderr, done.returncode) == (b"out\n", b"err\n", 7)


def test_every_byte_passes_unchanged_both_ways() -> None:
    data = bytes(range(256)) * 4000
    done = jobdeck("run", "--", "cat", stdin=data)
    assert done.stdout == data
    assert done.returncode == 0


def test_arguments_are_exact() -> None:
    nasty = ["", "a b", "'", '"', "$HOME", "\\", "-c", "--pty", "--help", "日本"]
    done = jobdeck("run", "--", sys.executable, "-c", "import sys; print(ascii(sys.argv[1:]))", *nasty)
    assert done.stdout.decode().strip() == ascii(nasty)


@pytest.mark.parametrize(
    ("line", "code"), [("kill -9 $$", 137), ("kill -TERM $$", 143), ("exit 255", 255), ("no-such-program-7431", 127)]
)
def test_deaths_are_told_as_a_shell_tells_them(line: str, code: int) -> None:
    assert jobdeck("run", "-c", line).returncode == code


def test_what_cannot_start_says_so_with_the_shells_code() -> None:
    missing = jobdeck("run", "--", "/no/such/cmd")
    assert missing.returncode == 127
    assert b"No such file" in missing.stderr
    folder = jobdeck("run", "--cwd", "/no/such/folder", "--", "true")
    assert folder.returncode == 1
    assert b"/no/such/folder" in folder.stderr


@pytest.mark.parametrize("args", [["run"], ["run", "-c", "true", "--", "true"], ["run", "--nope"]])
def test_bad_usage_is_2(args: list[str]) -> None:
    done = jobdeck(*args)
    assert done.returncode == 2
    assert b"Usage" in done.stderr


def test_a_reader_that_goes_ends_the_job_by_sigpipe() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" | head -1; echo ${PIPESTATUS[0]}', "sh", *JOBDECK, "run", "--", "yes"],
        capture_output=True,
        timeout=PATIENCE,
        check=True,
        env=ENV,
    )
    assert done.stdout == b"y\n141\n"


def test_a_slow_reader_slows_the_job() -> None:
    process = popen("run", "-c", "i=0; while :; do i=$((i+1)); echo $i; done")
    try:
        assert process.stdout is not None
        assert os.read(process.stdout.fileno(), 4).startswith(b"1\n")
        counted = [one for one in psutil.Process(process.pid).children() if "echo $i" in command(one)]
        assert counted

        def waits() -> bool:
            """Nobody of the job runs, or wants to, for a while."""
            before = sum(child.cpu_times().user for child in counted)
            for _ in range(20):
                time.sleep(0.01)
                if any(child.status() == psutil.STATUS_RUNNING for child in counted):
                    return False
            return sum(child.cpu_times().user for child in counted) == before

        wait_until(waits, what="the job to stand still once the pipes are full")
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131)]
)
@pytest.mark.parametrize("stubborn", [False, True])
def test_a_signal_ends_the_whole_tree(number: int, code: int, stubborn: bool) -> None:
    trap = "trap '' INT TERM HUP QUIT; " if stubborn else ""
    process = popen("run", "-c", f"{trap}sleep 7601 & sleep 7602 & echo up; while :; do sleep 0.1; done")
    assert process.stdout is not None and process.stdout.readline() == b"up\n"
    tree = [one for one in tree_of(process.pid) if "0.1" not in command(one)]
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert alive(tree) == []


def test_kill_9_of_it_leaves_no_job() -> None:
    process = popen("run", "-c", "sleep 7603 & echo up; sleep 7604")
    assert process.stdout is not None and process.stdout.readline() == b"up\n"
    tree = tree_of(process.pid)
    process.kill()
    process.communicate(timeout=PATIENCE)
    wait_until(lambda: alive(tree) == [], what="the job to end with its owner")


def test_ctrl_z_stops_the_job_and_fg_goes_on() -> None:
    process = popen("run", "-c", "echo up; while :; do sleep 0.02; done")
    assert process.stdout is not None and process.stdout.readline() == b"up\n"
    job = next(one for one in psutil.Process(process.pid).children() if "echo up" in command(one))
    process.send_signal(signal.SIGTSTP)
    wait_until(lambda: job.status() == psutil.STATUS_STOPPED, what="the job to stop")
    wait_until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_STOPPED, what="jobdeck to stop")
    process.send_signal(signal.SIGCONT)
    wait_until(lambda: job.status() != psutil.STATUS_STOPPED, what="the job to go on")
    process.terminate()
    process.communicate(timeout=PATIENCE)


def test_with_a_pty_it_has_our_terminal_and_ours_is_put_back() -> None:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (33, 77))
    before = termios.tcgetattr(slave)
    process = subprocess.Popen(
        [
            *JOBDECK,
            "run",
            "--pty",
            "-c",
            "trap 'stty size' WINCH; stty size; read x; echo got:$x; while :; do sleep 0.05; done",
        ],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=ENV,
        start_new_session=True,
    )
    output = b""

    def seen(text: bytes) -> bool:
        nonlocal output
        if select.select([master], [], [], 0.02)[0]:
            output += os.read(master, 65_536)
        return text in output

    try:
        wait_until(lambda: seen(b"33 77"))
        wait_until(lambda: not termios.tcgetattr(slave)[3] & termios.ICANON, what="our terminal to be raw")
        os.write(master, b"hello\r")
        wait_until(lambda: seen(b"got:hello"))
        termios.tcsetwinsize(slave, (40, 90))
        process.send_signal(signal.SIGWINCH)
        wait_until(lambda: seen(b"40 90"))

        def interrupted() -> bool:
            # A shell takes a Ctrl-C that comes just as its child ends by itself for the child's: press it again.
            os.write(master, b"\x03")
            time.sleep(0.1)
            return process.poll() is not None

        wait_until(interrupted, what="Ctrl-C to end it")
        assert process.returncode == 130
        assert termios.tcgetattr(slave) == before
    finally:
        process.kill()
        process.wait()
        os.close(master)
        os.close(slave)


def test_it_loads_no_textual() -> None:
    code = (
        "import sys; from tui.cli.main import main\n"
        "try: main(['run', '--', 'true'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('textual', 'rich', 'pyte', 'psutil')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENV)
    assert done.stdout == "[]\n"


def test_exact_arguments_need_no_library_of_the_command_line() -> None:
    code = (
        "import os, sys; sys.argv = ['jobdeck', 'run', '--', 'true']; from tui.cli import leave, entry\n"
        "def told(code): print(code, 'click' in sys.modules, flush=True); os._exit(0)\n"
        "leave.leave = told; entry.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENV)
    assert done.stdout == "0 False\n"


def test_a_word_that_is_neither_verb_nor_program_is_no_job() -> None:
    done = jobdeck("rnu")
    assert done.returncode == 2
    assert b"'run'" in done.stderr


def test_a_terminal_whose_reader_goes_hangs_up() -> None:
    done = subprocess.run(
        ["bash", "-c", '"$@" </dev/null | head -1; echo ${PIPESTATUS[0]}', "sh", *JOBDECK, "run", "--pty", "--", "yes"],
        capture_output=True,
        timeout=PATIENCE,
        check=True,
        env=ENV,
    )
    assert done.stdout.splitlines()[1] in (b"129", b"141")


def waiting_in(pipe: int) -> int:
    """The bytes of a pipe that nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_a_stalled_reader_does_not_make_it_unkillable() -> None:
    read_end, write_end = os.pipe()
    process = subprocess.Popen([*JOBDECK, "run", "--", "yes"], stdout=write_end, env=ENV)
    os.close(write_end)
    try:
        wait_until(lambda: waiting_in(read_end) >= 65_536 - 4_096, what="the pipe to be full")
        # The first one ends the job, one that comes after that what holds us up.
        wait_until(lambda: process.terminate() or process.poll() is not None, what="it to end")  # type: ignore[func-returns-value]
        assert process.returncode == 143
    finally:
        process.kill()
        process.wait()
        os.close(read_end)


def test_a_full_disk_is_said() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*JOBDECK, "run", "--", "/bin/echo", "hi"], stdout=full, stderr=subprocess.PIPE, env=ENV, check=False
        )
    assert done.returncode == 1
    assert b"No space left" in done.stderr


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_are_nobody_elses(closed: str) -> None:
    line = f'"$@" {closed}; exit $?'
    done = subprocess.run(
        ["bash", "-c", line, "sh", *JOBDECK, "run", "-c", "seq 100000; seq 100000 >&2; exit 6"],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
        env=ENV,
    )
    assert done.returncode == 6


def test_both_streams_to_one_place_keep_their_order() -> None:
    line = "for i in 1 2 3 4 5 6; do echo o$i; echo e$i >&2; done"
    done = subprocess.run(
        [*JOBDECK, "run", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=ENV, check=True
    )
    assert done.stdout.split() == [f"{stream}{number}".encode() for number in range(1, 7) for stream in "oe"]


def test_an_ignored_hang_up_stays_ignored(tmp_path: Path) -> None:
    line = f"echo up; until [ -e {tmp_path}/go ]; do sleep 0.05; done; exit 4"
    process = subprocess.Popen(
        ["bash", "-c", 'trap "" HUP; exec "$@"', "sh", *JOBDECK, "run", "-c", line],
        stdout=subprocess.PIPE,
        env=ENV,
    )
    assert process.stdout is not None and process.stdout.readline() == b"up\n"
    process.send_signal(signal.SIGHUP)
    (tmp_path / "go").touch()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 4


def test_ignored_children_cost_no_exit_code() -> None:
    done = subprocess.run(
        ["bash", "-c", "trap '' CHLD; exec \"$@\"", "sh", *JOBDECK, "run", "-c", "exit 5"], env=ENV, check=False
    )
    assert done.returncode == 5


def test_all_of_stdin_reaches_a_terminal_job(tmp_path: Path) -> None:
    lines = "".join(f"{number}\n" for number in range(1000))
    jobdeck("run", "--pty", "-c", f"stty -echo; cat >{tmp_path}/got", stdin=lines.encode())
    assert (tmp_path / "got").read_text() == lines
