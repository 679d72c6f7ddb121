"""Many clients at once over real sockets: 50 clients, 200 jobs, 20,000 calls; nothing lost, nothing for somebody else.

    python -m tests.bench.load [--clients 50] [--jobs 200] [--calls 20000]

Each client is a conversation of its own with jobs of its own, has one call of a mix of verbs under way at a time, and
beside it a `wait`. Every answer is looked at: is it one of this client's own calls, of its own job, with its own job's
output? What was submitted has to come out of that job, whole and in order, and each end is told once, to its owner.
Printed is how long `poll` takes beside a bare round trip over a Unix socket (to a process that sends each line back) by
the same driver in the same run, and the longest that the engine's loop kept others waiting.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.bare import bare
from tests.bench.crowd import Answer, Client, Driver, Wrong
from tests.bench.mix import Mix

_TICK_SECONDS = 0.002
_HOST = f"""
import json, sys, time
from engine import Engine, Settings
from engine.wire.server import Server
from tui.collecting import settle

class Meter:
    "How late the loop is to a timer, and for how much of that it was at work."
    def __init__(self, loop):
        self.loop, self.worst, self.work = loop, 0.0, 0.0
        self.again()
    def again(self):
        self.at, self.cpu = time.perf_counter(), time.thread_time()
        self.loop.call_later({_TICK_SECONDS}, self.tick)
    def tick(self):
        late = time.perf_counter() - self.at - {_TICK_SECONDS}
        if late > self.worst:
            self.worst, self.work = late, time.thread_time() - self.cpu
        self.again()
    def said(self):
        worst, work, self.worst, self.work = self.worst, self.work, 0.0, 0.0
        return {{"worst": worst, "work": work, "cpu": time.thread_time()}}

with Engine(Settings(term_grace_seconds=0.4)) as engine, Server(engine, "serve") as server:
    meter = engine.call("meter", lambda: Meter(engine.registry.loop)).result()
    settle()  # as `jobdeck serve` does
    print(server.path, flush=True)
    for _line in sys.stdin:
        print(json.dumps(engine.call("meter", meter.said).result()), flush=True)
"""


@dataclass
class Stall:
    """The engine's loop in one part of the run: seconds."""

    worst: float
    work: float
    """Of `worst`, the time in which it had the processor."""
    cpu: float


@dataclass
class Result:
    """Of one run."""

    calls: Counter[str]
    """Answered, by verb."""
    latencies: dict[str, list[float]]
    """Seconds, by what was measured."""
    ends_told: int = 0
    stalls: dict[str, Stall] = field(default_factory=dict)
    """By the part of the run."""
    seconds: float = 0.0
    """That the mix of verbs took."""


@contextmanager
def _host(home: Path) -> Iterator["subprocess.Popen[str]"]:
    """An engine that says how its loop has been for each line that it is given."""
    words, env = [sys.executable, "-c", _HOST], {**os.environ, "JOBDECK_HOME": str(home), "SHELL": "/bin/sh"}
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env) as process:
        yield process


def _said(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    if not line:
        raise Wrong("the engine has ended")
    return line


def _stall(host: "subprocess.Popen[str]") -> Stall:
    assert host.stdin is not None
    host.stdin.write("\n")
    host.stdin.flush()
    return Stall(**json.loads(_said(host)))


def run(clients: int, jobs: int, calls: int) -> Result:
    """One run. Raises `Wrong` on the first answer that is lost, or that isn't its client's."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="load-"))
        host = stack.enter_context(_host(Path(folder) / "home"))
        path = _said(host)
        many = [Client(path, f"client{number}") for number in range(clients)]
        for client in many:
            stack.callback(client.socket.close)
        driver = Driver(many)
        result = Result(driver.calls, driver.latencies)
        _start(driver, many, jobs)
        result.stalls[f"{jobs} starts"] = _stall(host)

        before = _stall(host)
        began = time.perf_counter()
        for number, client in enumerate(many):
            foreign = [job for other in many if other is not client for job in other.jobs]
            Mix(client, foreign, calls // clients + (number < calls % clients))
        driver.until(driver.answered, f"poll, {clients} clients", 30 + calls / 50)
        result.seconds = time.perf_counter() - began
        stall = result.stalls["the mix of verbs"] = _stall(host)
        stall.cpu -= before.cpu
        _one_alone(driver, many[0], calls // 10)
        _end(driver, many)
        result.stalls[f"{jobs} ends"] = _stall(host)
        result.ends_told = sum(client.told.total() for client in many)
        result.latencies["bare round trip, 1 client"] = bare(Path(folder), 1, calls // 10)
        result.latencies[f"bare round trip, {clients} clients"] = bare(Path(folder), clients, calls)
    return result


def _start(driver: Driver, clients: Sequence[Client], jobs: int) -> None:
    def started(client: Client, word: str) -> Callable[[Answer], None]:
        def known(answer: Answer) -> None:
            client.jobs[answer["session_id"]] = word
            client.submitted[answer["session_id"]] = []

        return known

    for client in clients:
        client.ask("hello", {"version": 1, "client": client.name}, lambda _answer: None)
    driver.until(driver.answered)
    for client in clients:
        client.ask("notices", {}, lambda _answer: None)
    for number in range(jobs):
        client = clients[number % len(clients)]
        word = f"{client.name}-job{number}-{os.urandom(4).hex()}"
        line = f"while read x; do echo {word} $x; done"
        spec = {"command": line, "stdin": "pipe", "notify_on_complete": True}
        client.ask("spawn", {"spec": spec}, started(client, word))
    driver.until(driver.answered)


def _one_alone(driver: Driver, client: Client, calls: int) -> None:
    job = next(iter(client.jobs))
    left = calls

    def again(_answer: Answer) -> None:
        nonlocal left
        left -= 1
        if left > 0:
            client.ask("poll", {"session_id": job}, again)

    client.ask("poll", {"session_id": job}, again)
    driver.until(driver.answered, "poll, 1 client")


def _end(driver: Driver, clients: Sequence[Client]) -> None:
    """What was submitted has come out, and each end is told once."""

    def came_out(client: Client, job: str) -> Callable[[Answer], None]:
        def look(answer: Answer) -> None:
            lines = answer["output"].splitlines()
            if lines != client.submitted[job][: len(lines)]:
                raise Wrong(f"{client.name} gave {client.submitted[job]} to {job}, and that printed {answer}")
            if len(lines) < len(client.submitted[job]):
                client.ask("log", {"session_id": job, "limit": 100_000}, look)  # it is still at it

        return look

    for client in clients:
        for job in client.jobs:
            client.ask("log", {"session_id": job, "limit": 100_000}, came_out(client, job))
    driver.until(driver.answered)
    for client in clients:
        for job in client.jobs:
            client.ask("close", {"session_id": job}, lambda _answer: None)
    driver.until(driver.answered)
    driver.until(lambda: all(client.told.keys() == client.jobs.keys() for client in clients))
    if any(count != 1 for client in clients for count in client.told.values()):
        raise Wrong(f"an end was told more than once: {[client.told for client in clients]}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--calls", type=int, default=20_000)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; {options.clients} clients, {options.jobs} jobs")
    result = run(options.clients, options.jobs, options.calls)
    calls = result.calls.total()
    by_verb = ", ".join(f"{verb} {count:,}" for verb, count in result.calls.most_common())
    print(f"{calls:,} calls, none lost, none misdelivered ({by_verb}); {result.ends_told} ends told once each")
    print(f"the mix of {options.calls:,} and more took {result.seconds:.1f} s")
    print(f"\n{'milliseconds':30} {'half':>8} {'p99':>8} {'most':>8}")
    for what, took in result.latencies.items():
        if what:
            ordered = sorted(1e3 * one for one in took)
            half, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99)]
            print(f"{what:30} {half:8.2f} {p99:8.2f} {ordered[-1]:8.2f}")
    print(f"\n{'longest stall of the loop':30} {'ms':>8} {'at work':>8}")
    for what, stall in result.stalls.items():
        print(f"{what:30} {1e3 * stall.worst:8.1f} {1e3 * stall.work:8.1f}")
    cpu = result.stalls["the mix of verbs"].cpu
    print(f"\nthe engine's thread: {1e6 * cpu / options.calls:.0f} µs a call, {cpu / result.seconds:.0%} of a core")


if __name__ == "__main__":
    main()
