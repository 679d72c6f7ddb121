"""What verbs cost that scripts call again and again, whole processes from fork to exit, beside bare Pythons in turn.

    python tests/bench/command_line.py [ROUNDS]

Prints the medians of the pairwise ratios, of time and of processor time: ``jobdeck list --json`` with an engine and its
jobs beside ``python -c pass`` (goal: at most 5), ``jobdeck run -- true`` beside ``python -c 'import asyncio'`` (2).
"""

import os
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

JOBDECK = str(Path(sys.executable).with_name("jobdeck"))
JOBS = 8


class Pair:
    """A command, what it is measured by, and the most that it may be of that."""

    def __init__(self, ours: list[str], bare: list[str], goal: float) -> None:
        self.ours, self.bare, self.goal = ours, bare, goal
        self.times: list[tuple[Cost, Cost]] = []

    def measure(self, env: dict[str, str]) -> None:
        """One round."""
        self.times.append((cost(self.ours, env), cost(self.bare, env)))

    def tell(self) -> None:
        """The medians, and the ratio."""
        name = " ".join(["jobdeck", *self.ours[1:]])
        beside = " ".join(["python", *self.bare[1:]])
        for kind in Cost._fields:
            values = [(getattr(ours, kind), getattr(bare, kind)) for ours, bare in self.times]
            ours, bare = (statistics.median(column) * 1_000 for column in zip(*values, strict=True))
            ratios = sorted(a / b for a, b in values)
            print(
                f"{name:<20} {kind:<4} {ours:6.1f} ms   {beside:<24} {bare:6.1f} ms   "
                f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}), goal {self.goal:g}"
            )


class Cost(NamedTuple):
    """Seconds of one whole process, its children's included."""

    wall: float
    cpu: float


def cost(command: list[str], env: dict[str, str]) -> Cost:
    """Run it."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env=env, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(time.perf_counter() - began, cpu)


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 21
    pairs = (
        Pair([JOBDECK, "list", "--json"], [sys.executable, "-c", "pass"], 5.0),
        Pair([JOBDECK, "run", "--", "true"], [sys.executable, "-c", "import asyncio"], 2.0),
    )
    with tempfile.TemporaryDirectory() as home:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        env["JOBDECK_HOME"] = home
        serving = subprocess.Popen([JOBDECK, "serve"], env=env, stderr=subprocess.PIPE)
        assert serving.stderr is not None
        serving.stderr.readline()
        started = [subprocess.check_output([JOBDECK, "start", "--no-keep", "--", "sleep", "600"], env=env)]
        started += [subprocess.check_output([JOBDECK, "start", "--", "true"], env=env) for _ in range(JOBS - 1)]
        try:
            for pair in pairs:
                for command in (pair.ours, pair.bare):
                    cost(command, env)
            for _ in range(rounds):
                for pair in pairs:
                    pair.measure(env)
        finally:
            serving.send_signal(signal.SIGTERM)
            serving.wait()
    print(f"{rounds} rounds, {len(started)} jobs listed, load {os.getloadavg()[0]:.1f}")
    for pair in pairs:
        pair.tell()


if __name__ == "__main__":
    main()
