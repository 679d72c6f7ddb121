"""What watching costs: `.venv/bin/python -m tests.bench.watch_scan`.

The same text, scanned for 10 texts and 5 expressions that aren't in it, as a ratio to one `str.find` over it, and to
what reading and buffering it costs: the CPU time of the engine's thread for a job that prints it.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from pydoc_data.topics import topics

from engine import Engine, JobSpec
from engine.watches.patterns import PatternSet, compile_patterns
from engine.watches.search import Search

TEXTS = (
    "ERROR",
    "FATAL",
    "listening on port",
    "Traceback (most",
    "panic:",
    "Segmentation fault",
    "BUILD FAILED",
    "READY",
    "npm ERR!",
    "out of memory",
)
EXPRESSIONS = (r"/warn(ing)?s?: \d+/", "/exception/i", r"/port \d{4,5}$/", r"/^\s*at .*\.js:\d+/", r"/took [0-9.]+ms/")
UNUSED = ("exception", "warn", "port", "took", "memory", "fault")
CHUNK = 65_536
CHUNKS = 400


def log(coloured: bool) -> str:
    """Lines of a log, about 80 characters each, in English."""
    chance = random.Random(1)
    words = [
        word
        for word in " ".join(topics.values()).lower().split()
        if word.isalpha() and not any(unused in word for unused in UNUSED)
    ]
    lines = []
    for _ in range(5_000):
        stamp = f"2026-11-29 20:{chance.randint(0, 59):02}:{chance.randint(0, 59):02}"
        text = " ".join(chance.choices(words, k=10))
        lines.append(f"\x1b[32m{stamp}\x1b[0m INFO \x1b[1;31m{text}\x1b[0m\n" if coloured else f"{stamp} INFO {text}\n")
    return "".join(lines)


def scan_all(patterns: PatternSet, chunks: list[str]) -> None:
    """What a watch does with each chunk."""
    for chunk in chunks:
        Search(patterns, chunk, 1)


def find_all(chunks: list[str]) -> None:
    """What the cheapest search does."""
    for chunk in chunks:
        chunk.find("ERROR")


def best(do: Callable[[], object], times: int = 7) -> float:
    """Seconds, the shortest of some runs."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        do()
        spent.append(time.perf_counter() - began)
    return min(spent)


def reading(text: str, *, pty: bool, patterns: tuple[str, ...]) -> float:
    """Seconds of the engine's thread for each chunk of a job that prints ``text`` again and again."""
    with tempfile.NamedTemporaryFile("w", suffix=".log") as file:
        file.write(text * (CHUNKS * CHUNK // len(text) + 1))
        file.flush()
        spent = []
        for _ in range(5):
            with Engine() as engine:
                began = engine.call("time", time.thread_time).result()
                spec = JobSpec(argv=("cat", file.name), pty=pty, watch_patterns=patterns)
                session_id = engine.spawn(spec).result().session_id
                engine.wait(session_id).result()
                spent.append(engine.call("time", time.thread_time).result() - began)
        return min(spent) / (Path(file.name).stat().st_size / CHUNK)


def main() -> None:
    """Print a table."""
    for coloured in (False, True):
        text = log(coloured)
        chunks = [text[at : at + CHUNK] for at in range(0, len(text) - CHUNK, CHUNK)]
        find = best(partial(find_all, chunks)) / len(chunks)
        name = "coloured" if coloured else "plain"
        print(f"{name}: str.find {find * 1e6:.0f} µs for 64 KiB")
        for label, patterns in (("10 texts", TEXTS), ("5 expressions", EXPRESSIONS), ("both", TEXTS + EXPRESSIONS)):
            compiled = compile_patterns(patterns)
            scan = best(partial(scan_all, compiled, chunks)) / len(chunks)
            print(f"  {label}: {scan * 1e6:.0f} µs, {scan / find:.1f} × str.find")
        for pty in (False, True):
            without = reading(text, pty=pty, patterns=())
            watched = reading(text, pty=pty, patterns=TEXTS + EXPRESSIONS)
            print(
                f"  read and buffered from a {'terminal' if pty else 'pipe'}: {without * 1e6:.0f} µs for 64 KiB; "
                f"watches add {(watched - without) / without:.0%}"
            )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
