"""Time until a tree of 200 processes is proved dead, and how many of it survive, beside mprocs, dekit and supervisor.

    python -m tests.bench.kill [--rounds N]

Each program runs the tree as a job, in turn in the same run, and is told to stop it as a person would: by its key, or
by its command. Whether it is dead is seen from outside, by the processes themselves. A program that can't be had is
skipped with a line that says why.
"""

import argparse
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.bench import peers
from tests.bench.peers import Missing, Program, Running, until

SUPERVISOR = "supervisor==4.2.5"
GIVE_UP_SECONDS = 25.0
MARK = "JOBDECK_BENCH_TREE"
SIZE = 201
_SHELL = (
    "for i in $(seq 20); do bash -c 'for j in $(seq {plain}); do sleep 9000 & done; {more} wait; true' & done; wait"
)
TREES = {
    "200 that end on TERM": _SHELL.format(plain=9, more=""),
    "20 ignore TERM and HUP": _SHELL.format(plain=8, more='(trap "" TERM HUP; exec sleep 9000) &'),
    "20 in their own session": _SHELL.format(plain=8, more="setsid sleep 9000 &"),
}


@dataclass(frozen=True)
class Peer:
    """A program, and how it is told to stop its first job."""

    program: Program
    stop: Callable[[Running], object]


def peer_list() -> tuple[list[Peer], list[str]]:
    """What can be had, and a line for each that can't."""
    found, skipped = peers.programs()
    listed = [Peer(program, lambda running: running.keys("x")) for program in found if not program.is_terminal]
    try:
        listed.append(_supervisor())
    except (Missing, OSError, subprocess.SubprocessError) as error:
        skipped.append(f"supervisor skipped: {error}")
    return listed, skipped


def _supervisor() -> Peer:
    folder = peers.cache() / "supervisor"
    if not (folder / "bin/supervisord").exists():
        peers.install(sys.executable, "-m", "venv", str(folder))
        peers.install(str(folder / "bin/pip"), "install", "--disable-pip-version-check", SUPERVISOR, "setuptools<80")
    homes: list[Path] = []

    def command(home: Path, lines: Sequence[str]) -> str:
        homes.append(home)
        line = lines[0].replace("%", "%%")
        (home / "conf").write_text(
            f"[supervisord]\nnodaemon=true\nlogfile={home}/log\npidfile={home}/pid\nchildlogdir={home}\n"
            f"[unix_http_server]\nfile={home}/socket\n"
            "[rpcinterface:supervisor]\n"
            "supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface\n"
            f"[supervisorctl]\nserverurl=unix://{home}/socket\n"
            f"[program:job]\ncommand={line}\nautorestart=false\n"
        )
        return f"exec {folder}/bin/supervisord -c {home}/conf"

    def stop(_running: Running) -> None:
        words = [f"{folder}/bin/supervisorctl", "-c", str(homes[-1] / "conf"), "stop", "job"]
        subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    version = peers.said([f"{folder}/bin/supervisord", "--version"])
    return Peer(Program("supervisor", f"supervisor {version}", command), stop)


def tree_of(token: str) -> list[psutil.Process]:
    """The living processes of one tree."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == token and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def living(tree: Sequence[psutil.Process]) -> int:
    """How many of them still run."""
    count = 0
    for process in tree:
        try:
            count += process.is_running() and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            continue
    return count


def measure(peer: Peer, script: str, folder: Path) -> tuple[float, int]:
    """Seconds from the key to the last death, and how many were alive when we gave up."""
    token = uuid.uuid4().hex
    file = folder / f"tree-{token}.sh"
    file.write_text(f"export {MARK}={token}\n{script}\n")
    with Running(peer.program, [f"bash -c {shlex.quote(f'. {file}; true')}"], [], folder) as running:
        until(lambda: len(tree_of(token)) >= SIZE - 1, 60, "the tree to be whole")
        tree = tree_of(token)
        began = time.monotonic()
        peer.stop(running)
        while (left := living(tree)) and time.monotonic() - began < GIVE_UP_SECONDS:
            time.sleep(0.01)
        took = time.monotonic() - began
        for process in tree_of(token):
            process.kill()
    return took, left


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    listed, skipped = peer_list()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {', '.join(one.program.version for one in listed)}")
    print(*skipped, sep="\n", end="\n" if skipped else "")
    with tempfile.TemporaryDirectory(prefix="kill-") as folder:
        for name, script in TREES.items():
            print(f"\n{name:26} {'seconds':>8} {'most':>8} {'survivors':>10}")
            for peer in listed:
                try:
                    results = [measure(peer, script, Path(folder)) for _ in range(options.rounds)]
                except TimeoutError as error:
                    print(f"{peer.program.name:26} {str(error).splitlines()[0]}")
                    continue
                times = [took for took, _left in results]
                gave_up = "  (gave up)" if max(times) >= GIVE_UP_SECONDS else ""
                worst = max(left for _took, left in results)
                print(
                    f"{peer.program.name:26} {statistics.median(times):8.2f} {max(times):8.2f} {worst:10}{gave_up}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
