"""What ``jobdeck run -- true`` costs, beside a bare Python that imports asyncio, in turn in the same run.

    python tests/bench/run_start.py [ROUNDS]

Prints the median of the pairwise ratios; the goal is at most 2. Whole processes, from fork to exit.
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
JOBDECK = [str(Path(sys.executable).with_name("jobdeck")), "run", "--", "true"]
BARE = [sys.executable, "-c", "import asyncio"]


def seconds(command: list[str]) -> float:
    """Wall time of one whole process."""
    began = time.perf_counter()
    subprocess.run(command, check=True, env=ENV)
    return time.perf_counter() - began


def main() -> None:
    """Measure and print."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for command in (JOBDECK, BARE):
        seconds(command)
    pairs = [(seconds(JOBDECK), seconds(BARE)) for _ in range(rounds)]
    ours, bare = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratios = sorted(a / b for a, b in pairs)
    print(f"jobdeck run -- true          {ours * 1000:6.1f} ms")
    print(f"python -c 'import asyncio'   {bare * 1000:6.1f} ms")
    print(f"ratio {statistics.median(ratios):.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}, {rounds} pairs); goal 2.00")


if __name__ == "__main__":
    main()
