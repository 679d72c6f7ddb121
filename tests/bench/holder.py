"""What a holder costs: memory, a start beside a plain one, and a restart with many held jobs.

    python tests/bench/holder.py [JOBS [ROUNDS]]

In a home of its own. The plain and the held starts take turns in one engine, so that both meet the same machine; the
ratio is that of the pairs. The restart is measured from before the new engine is made until every pane has its replay.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import Engine, JobSpec
from engine.ownership.held import Held
from engine.registry.adopting import find_held

_PRIVATE = ("Private_Clean:", "Private_Dirty:")
_LEAVES = """
import sys
from engine import Engine, JobSpec
engine = Engine()
for number in range(int(sys.argv[1])):
    engine.spawn(JobSpec(command="seq 1 20000; read x", stdin="pipe", persist_on_release=True)).result()
    print(number, flush=True)
sys.stdin.read()
"""


def memory(pid: int) -> tuple[float, float]:
    """Private memory and resident set of a process, in MB."""
    private = rss = 0
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        words = line.split()
        if words[0] in _PRIVATE:
            private += int(words[1])
        elif words[0] == "Rss:":
            rss = int(words[1])
    return private / 1024, rss / 1024


def starts(engine: Engine, rounds: int) -> Iterator[tuple[float, float]]:
    """Wall seconds of a held start and of a plain one, again and again."""
    for _ in range(rounds):
        pair = []
        for held in (True, False):
            began = time.perf_counter()
            started = engine.spawn(JobSpec(argv=("true",), persist_on_release=held)).result()
            pair.append(time.perf_counter() - began)
            engine.wait(started.session_id).result()
        yield pair[0], pair[1]


@contextmanager
def left_behind(jobs: int) -> Iterator[list[Held]]:
    """Held jobs whose engine has been killed; with the block they are ended."""
    words = [sys.executable, "-c", _LEAVES, str(jobs)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        while owner.stdout.readline().strip() != str(jobs - 1):
            pass
        time.sleep(1)
        owner.kill()
    yield find_held()


def restart(ids: set[str]) -> tuple[float, float, Engine]:
    """Seconds until all jobs are known, and until all their panes have a replay; and the engine."""
    began = time.perf_counter()
    engine = Engine()
    while not ids <= set(engine.call("ids", lambda: set(engine.registry.jobs)).result()):
        time.sleep(0.005)
    known = time.perf_counter() - began
    waiting = threading.Semaphore(0)
    attached = [engine.attach(one, None, lambda _item: waiting.release()) for one in ids]
    for one in attached:
        one.result()
    for _ in attached:
        waiting.acquire()
    return known, time.perf_counter() - began, engine


def main() -> None:
    """Measure and print."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 64
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    with tempfile.TemporaryDirectory(prefix="jobdeck-bench-") as home:
        os.environ["JOBDECK_HOME"] = home
        with Engine() as engine:
            pairs = list(starts(engine, rounds + 1))[1:]
        held, plain = (statistics.median(column) for column in zip(*pairs, strict=True))
        ratio = statistics.median(one / other for one, other in pairs)
        print(f"start: held {held * 1000:.1f} ms, plain {plain * 1000:.1f} ms, ratio {ratio:.1f} ({rounds} pairs)")
        with left_behind(jobs) as found:
            sizes = [memory(one.holder_pid) for one in found]
            for name, column in zip(("private", "RSS"), zip(*sizes, strict=True), strict=True):
                print(f"holder: {name} {statistics.median(column):.1f} MB, at most {max(column):.1f} MB; bound 16")
            known, opened, engine = restart({one.session_id for one in found})
            print(
                f"restart with {len(found)} held jobs: known after {known:.2f} s, all panes opened after {opened:.2f} s"
            )
            engine.shutdown(keep=False)


if __name__ == "__main__":
    main()
