"""What runs inside a pane: waits at a gate, lets ``cat`` write a file, and keeps its own times.

    python job.py FOLDER [FILE]

In FOLDER it leaves ``session`` (its terminal's session, so that nobody counts it as the program's) and, after the
file, ``times`` (monotonic seconds at which ``cat`` began and ended). What it prints itself stands far to the right:
lists that show a job's last line show it at the left, where it isn't taken for the pane's. Standard library only.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

INDENT = 45
LAST_LINE = "LASTLINE"
QUIET = "QUIETPANE"


def keep(path: Path, text: str) -> None:
    """Write a file that is either whole or not there."""
    half = path.with_suffix(".half")
    half.write_text(text)
    half.rename(path)


def main() -> None:
    """Without a file, only say so."""
    folder = Path(sys.argv[1])
    keep(folder / "session", str(os.getsid(0)))
    if len(sys.argv) > 2:
        with (folder / "gate").open("rb") as gate:
            gate.read()
        began = time.monotonic()
        subprocess.run(["cat", sys.argv[2]], check=False)
        keep(folder / "times", f"{began} {time.monotonic()}")
        print(f"\n{'':{INDENT}}{LAST_LINE}", flush=True)
    else:
        print(f"{'':{INDENT}}{QUIET}", flush=True)
    while True:
        signal.pause()


if __name__ == "__main__":
    main()
