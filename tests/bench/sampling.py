"""What it costs to know what 200 jobs' trees use, at the console's rate: CPU % of one core, of the engine's process.

    python -m tests.bench.sampling [--jobs N] [--others N] [--looks N]

Real jobs, each a tree of three to five processes that sleep, half of them on terminals; then the same with 1,000
processes beside them that are nobody's jobs. It is asked as the console asks, through `usage` every two seconds, and
all of the engine's process counts. In the same run: the least that any program has to do (open, read and close
``/proc/PID/stat`` of the jobs' processes, of all processes), and what psutil takes for the same figures.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil

from engine import Engine, JobSpec, Settings
from tui.collecting import settle
from tui.gauge import EVERY_SECONDS

TREES = (
    "sleep 86411 & sleep 86412 & wait",
    "(sleep 86413; :) & sleep 86414 & wait",
    "(sleep 86415 & sleep 86416 & wait) & sleep 86417 & wait",
)
"""Of three, four and five processes, the shell included."""
SAYS = "seq 1000; printf 'ready> '; "
"""Whether a prompt waits for an answer is told with what its job uses."""
MOST_PERCENT = 2.0
_CROWD = "exec 3<&0; i=0; while [ $i -lt {count} ]; do (read x <&3) & i=$((i + 1)); done; echo; wait"


@contextmanager
def others(count: int) -> Iterator[None]:
    """So many processes that are nobody's jobs, while the context lasts."""
    words = ["/bin/sh", "-c", _CROWD.format(count=count)]
    crowd = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert crowd.stdout is not None
        crowd.stdout.readline()
        yield
    finally:
        crowd.communicate()  # they read to the end of their input


def members(engine: Engine, jobs: list[str]) -> list[int]:
    """The pids of the jobs' trees."""
    leaders = {engine.registry.jobs[job].pid for job in jobs}
    return [process.pid for process in psutil.process_iter() if os.getsid(process.pid) in leaders]


def everybody() -> list[int]:
    """All pids of the machine."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def least(pids: list[int]) -> None:
    """Have the kernel tell of each."""
    for pid in pids:
        try:
            file = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
        except OSError:
            continue
        os.read(file, 1024)
        os.close(file)


def by_psutil(leaders: set[int]) -> dict[int, tuple[float, int]]:
    """Each job's figures, from one pass over all processes: what a careful program gets of psutil."""
    uses: dict[int, tuple[float, int]] = {}
    for process in psutil.process_iter(["ppid", "cpu_times", "memory_info"]):
        try:
            session = os.getsid(process.pid)
        except ProcessLookupError:
            continue
        if session in leaders and process.info["cpu_times"] is not None:
            cpu, rss = uses.get(session, (0.0, 0))
            uses[session] = (cpu + sum(process.info["cpu_times"][:4]), rss + process.info["memory_info"].rss)
    return uses


def by_trees(leaders: list[int]) -> None:
    """Each job by its own `psutil.Process.children`: what a simple program does."""
    for leader in leaders:
        top = psutil.Process(leader)
        for process in (top, *top.children(recursive=True)):
            process.cpu_times()
            process.memory_info()


def cpu_ms(work: Callable[[], object], times: int) -> float:
    """Of this thread, each time; the least of so many, since the machine is shared."""
    took = []
    for _ in range(times):
        began = time.thread_time()
        work()
        took.append(time.thread_time() - began)
    return min(took) * 1e3


def percent(step: Callable[[], object], looks: int) -> float:
    """CPU % of one core of this process, with a step every two seconds."""
    used, began = time.process_time(), time.monotonic()
    for number in range(looks):
        step()
        time.sleep(max(0.0, began + (number + 1) * EVERY_SECONDS - time.monotonic()))
    return (time.process_time() - used) / (time.monotonic() - began) * 100


def measure(engine: Engine, jobs: list[str], looks: int) -> None:
    """Print what a look costs, and its peers."""
    for _ in range(3):  # whoever is young is looked at more closely
        engine.usage().result()
        time.sleep(1)
    nothing = percent(lambda: None, max(2, looks // 4))
    cost = percent(lambda: engine.usage().result(), looks)
    told = engine.usage().result()
    assert len(told.jobs) == len(jobs)
    pids, all_pids = members(engine, jobs), everybody()
    assert sum(use.processes for use in told.jobs) == len(pids), "not all of the trees were seen"
    leaders = [pid for job in jobs if (pid := engine.registry.jobs[job].pid)]
    look = (cost - nothing) / 100 * EVERY_SECONDS * 1e3
    theirs, all_of_them = cpu_ms(lambda: least(pids), 5), cpu_ms(lambda: least(all_pids), 5)
    careful, simple = cpu_ms(lambda: by_psutil(set(leaders)), 3), cpu_ms(lambda: by_trees(leaders[:10]), 1) / 10
    print(f"\n{len(jobs)} jobs of {len(pids)} processes, {len(all_pids):,} on the machine; {looks} looks\n")
    print(
        f"the engine's process       {cost:6.2f} % of one core, at most {MOST_PERCENT:g}; {nothing:.2f} without looks"
    )
    print(f"a look                     {look:6.1f} ms of CPU")
    print(f"reading the jobs' stat     {theirs:6.1f} ms: a look is {look / theirs:.1f} times that")
    print(f"reading everybody's stat   {all_of_them:6.1f} ms: a look is {look / all_of_them:.1f} times that")
    print(f"psutil, one pass over all  {careful:6.1f} ms: {careful / look:.0f} looks")
    print(f"psutil, tree by tree       {simple * len(jobs):6.0f} ms: {simple * len(jobs) / look:.0f} looks", flush=True)


def main() -> None:
    """Start the jobs, measure, end them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--others", type=int, default=1_000)
    parser.add_argument("--looks", type=int, default=10)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sampling-") as home:
        os.environ["JOBDECK_HOME"] = home
        with Engine(Settings(term_grace_seconds=0.5)) as engine:
            specs = [JobSpec(command=SAYS + TREES[number % 3], pty=number % 2 == 0) for number in range(asked.jobs)]
            jobs = [call.result().session_id for call in [engine.spawn(spec) for spec in specs]]
            settle()
            time.sleep(2)
            print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", end="")
            measure(engine, jobs, asked.looks)
            with others(asked.others):
                measure(engine, jobs, asked.looks)


if __name__ == "__main__":
    main()
