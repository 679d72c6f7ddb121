"""The programs that `panes` compares, each on a real terminal: a tmux server of its own.

Everything started here carries a mark in its environment, by which it is counted and, at the end, ended.
"""

import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from tests.bench.job import INDENT

COLUMNS, LINES = 140, 40
LOOK_SECONDS = 0.02
"""Between two looks at a terminal."""
MPROCS, DEKIT = "mprocs@0.9.6", "dekit-cli==0.10.3"
JOB = Path(__file__).with_name("job.py")
_MARK = "JOBDECK_BENCH"


class Missing(Exception):
    """A program can't be had; says why."""


@dataclass(frozen=True)
class Program:
    """How one program is started with shell lines as its jobs, the first of them shown."""

    name: str
    version: str
    command: Callable[[Path, Sequence[str]], str]
    """From a folder of its own and the jobs' lines to the shell line that starts it."""
    key: str = ""
    """The key that puts `paints` on its screen; Escape takes it away again."""
    paints: str = ""
    stop: Sequence[str] = ()
    """What ends a part of it that outlives its terminal."""
    is_terminal: bool = False
    """It is the terminal itself: the tmux server is what is measured."""


class Job:
    """One `job` in a pane, from outside."""

    def __init__(self, folder: Path, file: Path | None = None) -> None:
        folder.mkdir()
        os.mkfifo(folder / "gate")
        self.folder = folder
        words = [sys.executable, str(JOB), str(folder), *([str(file)] if file else [])]
        self.words: Sequence[str] = words
        self.line = shlex.join(words)

    def begin(self) -> None:
        """Open its gate."""
        until((self.folder / "session").exists, 30, "a job to start")
        (self.folder / "gate").write_bytes(b"")

    @property
    def session(self) -> int:
        """Its terminal's session; 0 before it has started."""
        path = self.folder / "session"
        return int(path.read_text()) if path.exists() else 0

    def times(self, timeout: float) -> tuple[float, float]:
        """Wait until its file is written; when that began and ended."""
        path = self.folder / "times"
        until(path.exists, timeout, "a job to write its file")
        began, ended = path.read_text().split()
        return float(began), float(ended)


class Running:
    """A program on a terminal; a context manager that ends it, the terminal, and all that came of them."""

    def __init__(self, program: Program, lines: Sequence[str], jobs: Sequence[Job], folder: Path) -> None:
        self._program = program
        self._jobs = jobs
        self._mark = f"{os.getpid()}-{time.monotonic_ns()}"
        self._home = folder / f"home-{self._mark}"
        (self._home / "run").mkdir(parents=True, mode=0o700)
        # In a folder that goes with the run: tmux leaves the sockets in its own behind.
        self._socket = str(self._home / "tmux")
        self.env = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "TMUX"))}
        self.env |= {
            **{_MARK: self._mark, "COLORTERM": "truecolor", "LANG": "C.UTF-8", "SHELL": "/bin/sh"},
            **{"HOME": str(self._home), "XDG_RUNTIME_DIR": str(self._home / "run")},
            **{"JOBDECK_HOME": str(self._home / "jobdeck")},
        }
        self._line = f"unset TMUX TMUX_PANE; {program.command(self._home, lines)}"

    def __enter__(self) -> Self:
        size = ("-x", str(COLUMNS), "-y", str(LINES), "-c", str(self._home))
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, self._line, env=self.env)
        self._server = int(self._tmux("display-message", "-p", "#{pid}"))
        return self

    def __exit__(self, *_exc: object) -> None:
        if self._program.stop:
            subprocess.run(self._program.stop, env=self.env, cwd=self._home, capture_output=True, check=False)
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], capture_output=True, check=False)
        # The hang-up of its terminal should be enough; whoever stays is told to go, by its identity.
        for number in (0, signal.SIGTERM, signal.SIGKILL):
            for process in self._marked() if number else ():
                with suppress(psutil.Error):
                    process.send_signal(number)
            with suppress(TimeoutError):
                until(lambda: not self._marked(), 10, "")
                return
        print(f"  left behind: {self._marked()}", file=sys.stderr)

    def keys(self, *keys: str) -> None:
        """Press keys by tmux's names."""
        self._tmux("send-keys", *keys)

    def look(self) -> str:
        """What its terminal shows."""
        return self._tmux("capture-pane", "-p")

    def shows(self, word: str, timeout: float, every: float = LOOK_SECONDS) -> float:
        """Wait until a pane shows a job's word; the monotonic time at which it was seen."""
        return self.waits(lambda screen: any(line.find(word) >= INDENT for line in screen.splitlines()), timeout, every)

    def waits(self, wanted: Callable[[str], bool], timeout: float, every: float = LOOK_SECONDS) -> float:
        """Look until the screen is as wanted."""
        try:
            until(lambda: wanted(self.look()), timeout, f"{self._program.name}'s screen", every)
        except TimeoutError as error:
            raise TimeoutError(f"{error}:\n{self.look()}") from None
        return time.monotonic()

    def cpu(self) -> float:
        """CPU seconds of the program's processes until now, without its jobs."""
        return sum(_cpu(process) for process in self._own())

    def terminal_cpu(self) -> float:
        """CPU seconds of the terminal that it draws on."""
        return _cpu(psutil.Process(self._server))

    def peak(self) -> float:
        """Peak resident MB of the program's processes, added up."""
        return sum(_peak(process.pid) for process in self._own())

    def _own(self) -> list[psutil.Process]:
        if self._program.is_terminal:
            return [psutil.Process(self._server)]
        others = {job.session for job in self._jobs}
        return [one for one in self._marked() if one.pid != self._server and _session(one.pid) not in others]

    def _marked(self) -> list[psutil.Process]:
        """The living processes that carry this one's mark."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get(_MARK) == self._mark and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def _tmux(self, *words: str, env: dict[str, str] | None = None) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *words], capture_output=True, text=True, check=True, env=env, timeout=60
        )
        return done.stdout


def until(predicate: Callable[[], object], timeout: float, what: str, every: float = LOOK_SECONDS) -> None:
    """Ask until it is true. TimeoutError after ``timeout`` seconds."""
    ends = time.monotonic() + timeout
    while not predicate():
        if time.monotonic() >= ends:
            raise TimeoutError(f"waited {timeout:g} s in vain for {what}")
        time.sleep(every)


def programs() -> tuple[list[Program], list[str]]:
    """What can be had, ours first, and a line for each that can't."""
    found, skipped = [], []
    for make in (_ours, _mprocs, _dekit, _tmux):
        try:
            found.append(make())
        except (Missing, OSError, subprocess.SubprocessError) as error:
            skipped.append(f"{make.__name__.strip('_'):8} skipped: {error}")
    return found, skipped


def _ours() -> Program:
    binary = Path(sys.executable).with_name("jobdeck")
    if not binary.exists():
        raise Missing(f"{binary} isn't there; pip install -e . puts it there")
    return Program("jobdeck", said([str(binary), "--version"]), _with_lines(binary), "?", "Keys")


def _mprocs() -> Program:
    folder = cache() / "mprocs"
    # The binary itself: the package's own starter is a Node.js process beside it.
    pattern = f"node_modules/mprocs/mprocs-*-linux-{platform.machine()}-musl/mprocs"
    if not any(folder.glob(pattern)):
        install("npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", MPROCS)
    binary = next(iter(folder.glob(pattern)), None)
    if binary is None:
        raise Missing(f"the package {MPROCS} has no program for linux on {platform.machine()}")
    return Program("mprocs", said([str(binary), "--version"]), _with_lines(binary), "p", "─ Commands ─")


def _dekit() -> Program:
    folder = cache() / "dekit"
    binary = folder / "bin/dekit"
    if not binary.exists():
        install(sys.executable, "-m", "venv", str(folder))
        install(str(folder / "bin/pip"), "install", "--disable-pip-version-check", DEKIT)

    def command(home: Path, lines: Sequence[str]) -> str:
        tasks = {
            f"job{number}": {"cmd": ["/bin/sh", "-c", line], "autostart": True} for number, line in enumerate(lines)
        }
        (home / "dekit.yaml").write_text(json.dumps({"tasks": tasks}))
        return f"{binary} up; exec {binary} attach"

    return Program("dekit", said([str(binary), "--version"]), command, stop=(str(binary), "runner", "stop"))


def _tmux() -> Program:
    return Program("tmux", said(["tmux", "-V"]), lambda _home, lines: f"exec {lines[0]}", is_terminal=True)


def _with_lines(binary: Path) -> Callable[[Path, Sequence[str]], str]:
    return lambda _home, lines: f"exec {shlex.join([str(binary), *lines])}"


def cache() -> Path:
    """A folder that only we can write to, whatever else is in the folder for temporary files."""
    folder = Path(tempfile.gettempdir()) / f"jobdeck-bench-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid():
        raise Missing(f"{folder} is a link or not yours")
    return folder


def install(*words: str) -> None:
    """Run an installer. `Missing` when it fails."""
    if shutil.which(words[0]) is None:
        raise Missing(f"{words[0]} isn't installed")
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        why = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise Missing(f"'{shlex.join(words)}' failed: {why[-1]}")


def said(words: Sequence[str]) -> str:
    """What a program prints."""
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=30).stdout.strip()


def _cpu(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


def _session(pid: int) -> int:
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return 0


def _peak(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) * 1024 / 1e6 for line in status.splitlines() if line.startswith("VmHWM")), 0.0)
