"""Our console beside mprocs, dekit and tmux, as whole programs on a real terminal, in one run.

    python -m tests.bench.panes [--rounds N] [--mb N]

Three tables: taking in a log until its last line is on the screen; the job's own time, with its pane open, hidden,
under an engine alone, and with nobody but a bare reader; from key to paint under floods. Programs take turns, figures
are medians, and ratios count: absolute figures move with the machine. A job starts at a gate when its program is up, so
no start is counted. CPU and memory are the program's without its jobs and its terminal's; CPU goes on two seconds after
the last line, so that what a program puts off is counted. Peers are fetched once into a folder beside other temporary
files.
"""

import argparse
import os
import pty
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench.job import LAST_LINE, QUIET
from tests.bench.peers import COLUMNS, LINES, Job, Program, Running, programs
from tests.bench.terminal import coloured, plain

GIVE_UP_SECONDS = 300
KEY_GIVE_UP_SECONDS = 30
PRESSING_SECONDS = 60
"""After so long a program gets no more keys: the count of presses says how many it had."""
CALM_SECONDS = 2.0
HIDDEN_FLOODS = 10
ALONE = """
import sys
from engine import Engine, JobSpec
with Engine() as engine:
    engine.spawn(JobSpec(argv=tuple(sys.argv[1:]), pty=True)).result()
    sys.stdin.read()
"""
FRAME_COLUMNS, FRAME_LINES = 90, 32
"""Small enough for each program's pane."""


class Intake(NamedTuple):
    """One program taking in one file."""

    seconds: float
    """From the job's start until its last line was seen."""
    job: float
    cpu: float
    terminal_cpu: float
    peak: float


class Bench:
    """What the tables share: a folder, the files, how often."""

    def __init__(self, folder: Path, rounds: int, megabytes: int) -> None:
        self.folder = folder
        self.rounds = rounds
        self.megabytes = megabytes
        self._count = 0

    def job(self, file: Path | None = None) -> Job:
        """A new job, not yet started."""
        self._count += 1
        return Job(self.folder / f"job{self._count}", file)

    def file(self, name: str, megabytes: float, line: Callable[[int], str], begin: str = "", end: str = "") -> Path:
        """A file of about that size: two megabytes of different lines, repeated."""
        path, size = self.folder / name, int(megabytes * 1e6)
        block: list[str] = []
        held = 0
        while held < min(size, 2_000_000):
            block.append(line(len(block)))
            held += len(block[-1])
        data = "".join(block).encode()
        path.write_bytes(begin.encode() + data * max(1, round(size / len(data))) + end.encode())
        return path


def frame(r: random.Random, number: int) -> str:
    """One redraw of a full screen: each row addressed, six colours in it, and nothing cleared."""
    rows, width = [f"\x1b[H\x1b[7m frame {number:<{FRAME_COLUMNS - 7}}\x1b[m"], FRAME_COLUMNS // 6
    for y in range(2, FRAME_LINES + 1):
        cells = (f"\x1b[38;5;{r.randint(16, 231)}m{r.getrandbits(40):<{width}x}" for _ in range(6))
        rows.append(f"\x1b[{y};1H{''.join(cells)}\x1b[m")
    return "".join(rows)


def take_in(bench: Bench, program: Program, file: Path) -> Intake:
    job = bench.job(file)
    with Running(program, [job.line], [job], bench.folder) as running:
        _settle(running, job)
        cpu, terminal_cpu = running.cpu(), running.terminal_cpu()
        job.begin()
        seen = running.shows(LAST_LINE, GIVE_UP_SECONDS)
        began, ended = job.times(10)
        time.sleep(CALM_SECONDS)
        return Intake(
            seen - began, ended - began, running.cpu() - cpu, running.terminal_cpu() - terminal_cpu, running.peak()
        )


def _settle(running: Running, *jobs: Job) -> None:
    """Wait until the jobs stand at their gates and the screen stands still."""
    running.waits(lambda _screen: all(job.session for job in jobs), 60)
    before, same = "", 0
    while same < 5:
        time.sleep(0.15)
        screen = running.look()
        before, same = screen, same + 1 if screen == before else 0


def intake(bench: Bench, found: Sequence[Program], rounds: int) -> None:
    """The first table."""
    r = random.Random(7)
    size = bench.megabytes
    files = {
        f"plain log, {size} MB": bench.file("plain", size, lambda i: plain(r, i) + "\n"),
        f"coloured log, {size} MB": bench.file("coloured", size, lambda i: coloured(r, i) + "\n"),
        f"full-screen redraw, {size / 10:g} MB": bench.file(
            "redraw", size / 10, lambda i: frame(r, i), "\x1b[?1049h", f"\x1b[{FRAME_LINES // 2};1H"
        ),
    }
    print(f"\n1. Until the last line is on the screen; medians of {rounds}\n")
    head = f"{'seconds':>8} {'MB/s':>7} {'ours/it':>8} {'job s':>7} {'CPU s':>7} {'terminal CPU s':>15} {'peak MB':>8}"
    for name, file in files.items():
        print(f"{name:26} {head}")
        runs: dict[str, list[Intake]] = {program.name: [] for program in found}
        for _ in range(rounds):
            for program in found:
                try:
                    runs[program.name].append(take_in(bench, program, file))
                except TimeoutError as error:
                    print(f"  {program.name}: {error}", file=sys.stderr)
        ours = 0.0
        for program in found:
            if not runs[program.name]:
                print(f"  {program.name:24} not in {GIVE_UP_SECONDS} s")
                continue
            got = Intake(*(statistics.median(column) for column in zip(*runs[program.name], strict=True)))
            ours = ours or got.seconds
            own = "-" if program.is_terminal else f"{got.terminal_cpu:.2f}"
            print(
                f"  {program.name:24} {got.seconds:8.2f} {file.stat().st_size / got.seconds / 1e6:7.1f} "
                f"{ours / got.seconds:7.2f}x {got.job:7.2f} {got.cpu:7.2f} {own:>15} {got.peak:8.1f}",
                flush=True,
            )


def bare(bench: Bench, file: Path) -> float:
    """The job's seconds with a reader that only reads."""
    job = bench.job(file)
    main, side = pty.openpty()
    termios.tcsetwinsize(side, (LINES, COLUMNS))
    child = subprocess.Popen(job.words, stdin=side, stdout=side, stderr=side, start_new_session=True)
    os.close(side)
    try:
        job.begin()
        tail = b""
        while LAST_LINE.encode() not in tail:
            tail = tail[-100:] + os.read(main, 65536)
    finally:
        child.kill()
        child.wait()
        os.close(main)
    began, ended = job.times(10)
    return ended - began


def alone(bench: Bench, file: Path) -> float:
    """The job's seconds under an engine in a process without a screen."""
    job = bench.job(file)
    env = {**os.environ, "JOBDECK_HOME": str(job.folder / "home")}
    with subprocess.Popen([sys.executable, "-c", ALONE, *job.words], stdin=subprocess.PIPE, env=env) as child:
        try:
            job.begin()
            began, ended = job.times(GIVE_UP_SECONDS)
        finally:
            child.communicate(b"")
    return ended - began


def beside(bench: Bench, program: Program, file: Path, *, hidden: bool) -> float:
    """The job's seconds with its pane in sight, or with another tab in front."""
    job, quiet = bench.job(file), bench.job()
    with Running(program, [job.line, quiet.line], [job, quiet], bench.folder) as running:
        _settle(running, job, quiet)
        if hidden:
            running.keys("2")
            running.shows(QUIET, 30)
            _settle(running)
        job.begin()
        began, ended = job.times(GIVE_UP_SECONDS)
        return ended - began


def job_times(bench: Bench, ours: Program) -> None:
    """The second table."""
    r = random.Random(7)
    file = bench.file("job", bench.megabytes, lambda i: plain(r, i) + "\n")
    rounds = []
    for _ in range(bench.rounds):
        rounds.append(
            (
                bare(bench, file),
                alone(bench, file),
                beside(bench, ours, file, hidden=False),
                beside(bench, ours, file, hidden=True),
            )
        )
    print(f"\n2. The job's own seconds for {bench.megabytes} MB of plain log; {bench.rounds} rounds in turn\n")
    print(f"{'read by':26} {'median s':>9} {'least':>7} {'most':>7} {'to bare':>8} {'goal':>6}")
    rows = (("bare reader", ""), ("engine alone", ""), ("pane visible", "2.00"), ("pane hidden", "1.20"))
    for column, (name, goal) in enumerate(rows):
        times = sorted(one[column] for one in rounds)
        ratio = statistics.median(one[column] / one[0] for one in rounds)
        print(f"{name:26} {statistics.median(times):9.2f} {times[0]:7.2f} {times[-1]:7.2f} {ratio:7.2f}x {goal:>6}")
    sys.stdout.flush()


def key_to_paint(bench: Bench, program: Program, lines: Sequence[str], presses: int) -> tuple[list[float], list[float]]:
    """Seconds from key to paint, and what one look at the terminal takes meanwhile."""
    r = random.Random(7)
    painted: list[float] = []
    looks: list[float] = []
    with Running(program, lines, [], bench.folder) as running:
        time.sleep(4)
        ends = time.monotonic() + PRESSING_SECONDS
        while len(painted) < presses and time.monotonic() < ends:
            time.sleep(r.uniform(0.1, 0.4))
            began = time.monotonic()
            running.look()
            looks.append(time.monotonic() - began)
            began = time.monotonic()
            running.keys(program.key)
            try:
                painted.append(running.waits(lambda screen: program.paints in screen, KEY_GIVE_UP_SECONDS, 0) - began)
                running.keys("Escape")
                running.waits(lambda screen: program.paints not in screen, KEY_GIVE_UP_SECONDS, 0)
            except TimeoutError:
                painted.append(float(KEY_GIVE_UP_SECONDS))
                break
    return painted, looks


def keys(bench: Bench, found: Sequence[Program], presses: int) -> None:
    """The third table."""
    print(
        f"\n3. Key to paint, ms; {presses} presses, {PRESSING_SECONDS} s at most. A look at the terminal is in each\n"
    )
    print(f"{'':26} {'median':>8} {'p90':>8} {'most':>8} {'one look':>9} {'presses':>8}")
    floods = [f"sh -c 'yes flood{number}'" for number in range(1 + HIDDEN_FLOODS)]
    cases = {"nothing running": ["sleep 600"], "yes": floods[:1], f"yes, and {HIDDEN_FLOODS} hidden": floods}
    for name, lines in cases.items():
        for program in found:
            if program.key:
                painted, looks = key_to_paint(bench, program, lines, presses)
                p90 = statistics.quantiles(painted, n=10)[8] if len(painted) > 1 else painted[0]
                figures = [statistics.median(painted), p90, max(painted), statistics.median(looks)]
                late = " (gave up)" if max(painted) >= KEY_GIVE_UP_SECONDS else ""
                print(
                    f"{program.name + ', ' + name:26} "
                    + " ".join(f"{figure * 1000:8.0f}" for figure in figures)
                    + f" {len(painted):9}{late}",
                    flush=True,
                )


def machine() -> str:
    load = " ".join(f"{part:.2f}" for part in os.getloadavg())
    return f"{os.cpu_count()} cores, load {load}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7, help="of the second table; the first has at most three")
    parser.add_argument("--table", type=int, action="append", help="only this one (1 to 3)")
    parser.add_argument("--mb", type=int, default=100, help="of each log; the redraw has a tenth")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    found, skipped = programs()
    print(f"{machine()}; terminal {COLUMNS}x{LINES}; {', '.join(program.version for program in found)}")
    print(*skipped, sep="\n", end="\n" if skipped else "")
    with tempfile.TemporaryDirectory(prefix="panes-") as folder:
        bench = Bench(Path(folder), options.rounds, options.mb)
        tables = options.table or (1, 2, 3)
        if 1 in tables:
            intake(bench, found, min(options.rounds, 3))
        if 2 in tables and found[0].name == "jobdeck":
            job_times(bench, found[0])
        if 3 in tables:
            keys(bench, found, 20)
    print(f"\nafterwards: {machine()}")


if __name__ == "__main__":
    main()
