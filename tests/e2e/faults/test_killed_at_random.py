"""Engines and consoles killed with ``kill -9`` at random moments, again and again over one home (spec 3.4, 3.5).

After each death everything of it is accounted for: jobs that persist are taken over with all of their output, in order,
none twice, and end with their true exit code; of every other job there is an end, invented for none; no file is
unreadable. ``make faults`` does 300 rounds; ``JOBDECK_TEST_FAULTS=1000`` as many as that.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from host import Host
from waiting import PATIENCE, wait_until

from engine import EngineGone, JobSpec, StartError
from engine.results import JobRow, Logged
from engine.store.home import home_folder
from engine.wire.address import pid_of, sockets
from engine.wire.client import RemoteEngine
from engine.wire.failures import Refusal
from engine.wire.messages import Hello

ROUNDS = int(os.environ.get("JOBDECK_TEST_FAULTS", "12"))
LINES = 150
"""Numbered lines of a job that persists, over about a second and a half."""
ENGINE = """
import sys
from engine import Engine
from engine.wire.server import Server
with Engine() as engine, Server(engine, "serve"):
    sys.stdin.read()
"""
SAYS = "echo $JOBDECK_SESSION_ID {code} {kind} >> {book}; "
"""A job's first act: so that it is known of, whatever was told of its start."""
PERSISTS = SAYS + "i=0; while [ $i -lt {lines} ]; do i=$((i+1)); echo $i; sleep 0.01; done; exit {code}"
QUICK = SAYS + "echo 1; exit {code}"
LASTS = SAYS + "echo 1; sleep {seconds}; exit {code}"


class Book:
    """Which jobs have run at all, by their own word, and which of them have been found in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.settled: set[str] = set()
        self.counts: Counter[str] = Counter()

    def open(self) -> list[tuple[str, int, str]]:
        """Those that aren't settled: id, true exit code, kind."""
        if not self.path.exists():
            return []
        rows = [line.split() for line in self.path.read_text().splitlines()]
        return [(row[0], int(row[1]), row[2]) for row in rows if len(row) == 3 and row[0] not in self.settled]

    def settle(self, session_id: str, how: str) -> None:
        """It is as it is to be."""
        self.settled.add(session_id)
        self.counts[how] += 1


class Life:
    """One engine, in a process of its own or in a real console."""

    def __init__(self, folder: Path, *, console: bool) -> None:
        self.host = Host([], folder) if console else None
        self.process = (
            None
            if console
            else subprocess.Popen([sys.executable, "-c", ENGINE], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        )

    @property
    def pid(self) -> int:
        """Its process."""
        if self.host is not None:
            return self.host.pid
        assert self.process is not None
        return self.process.pid

    def connect(self, patience: float) -> RemoteEngine | None:
        """Its socket, as soon as it listens; None if it didn't in that time."""
        ends = time.monotonic() + patience
        while time.monotonic() < ends:
            for path in sockets():
                if pid_of(path) == self.pid:
                    try:
                        return RemoteEngine(path, Hello(version=1, operator=True))
                    except (OSError, Refusal, EngineGone):
                        break
            time.sleep(0.02)
        return None

    def kill(self) -> None:
        """As the kernel does when memory runs out."""
        os.kill(self.pid, signal.SIGKILL)
        if self.process is not None:
            self.process.communicate()
        elif self.host is not None:
            self.host.__exit__()

    def end(self) -> None:
        """In order: what persists is kept."""
        if self.process is not None:
            self.process.communicate(timeout=PATIENCE * 2)


@pytest.mark.timeout(120 + 6 * ROUNDS)
def test_everything_is_accounted_for(tmp_path: Path) -> None:
    chance = random.Random(int(os.environ.get("JOBDECK_TEST_SEED", "20261130")))
    book = Book(tmp_path / "book")
    killed: Counter[str] = Counter()
    for _round in range(ROUNDS):
        life = Life(tmp_path, console=chance.random() < 0.25)
        before = chance.random()
        if before < 0.15:  # while it starts, or takes over
            time.sleep(chance.uniform(0.0, 0.6))
            killed["starting"] += 1
        else:
            _live(life, book, tmp_path, chance)
            killed["running"] += 1
        life.kill()
        _no_file_is_unreadable()
    last = Life(tmp_path, console=False)
    engine = last.connect(PATIENCE)
    assert engine is not None
    with engine:
        wait_until(lambda: not _check(engine, book), PATIENCE * 2, what=f"all to be settled; left: {book.open()}")
    last.end()
    _no_file_is_unreadable()
    counts = ", ".join(f"{number} {how}" for how, number in sorted(book.counts.items()))
    print(f"\n{ROUNDS} deaths ({dict(killed)}): {len(book.settled)} jobs accounted for: {counts}")
    assert book.counts["taken over, whole"] + book.counts["ended, whole"] > 0


def _live(life: Life, book: Book, folder: Path, chance: random.Random) -> None:
    """Check what was left, start some, and live until a random moment."""
    engine = life.connect(PATIENCE)
    assert engine is not None, "a new engine to listen"
    with engine:
        wait_until(lambda: _no_dead_one_is_open(engine, book), what="fates of what the dead engine had")
        ends = time.monotonic() + chance.uniform(0.0, 1.2)
        calls = []
        for _ in range(chance.randint(1, 3)):
            calls.append(engine.spawn(_spec(book, folder, chance)))
        while time.monotonic() < ends:
            time.sleep(0.01)
        for call in calls:
            if call.done() and (error := call.future.exception()) is not None:
                assert isinstance(error, EngineGone | StartError), error


def _spec(book: Book, folder: Path, chance: random.Random) -> JobSpec:
    code = chance.randint(0, 99)
    kind, line = chance.choice([("persists", PERSISTS), ("persists", PERSISTS), ("quick", QUICK), ("lasts", LASTS)])
    command = line.format(code=code, kind=kind, book=book.path, lines=LINES, seconds=chance.choice((0.3, 30)))
    return JobSpec(
        command=command,
        pty=chance.random() < 0.4,
        cwd=str(folder),
        persist_on_release=kind == "persists",
        notify_on_complete=chance.random() < 0.5,
    )


def _no_dead_one_is_open(engine: RemoteEngine, book: Book) -> bool:
    """Has all that the engine before had its fate? What persists may run on."""
    return all(kind == "persists" for _id, _code, kind in _check(engine, book))


def _check(engine: RemoteEngine, book: Book) -> list[tuple[str, int, str]]:
    """Look at each job that isn't settled; those that still aren't."""
    rows = {row.session_id: row for row in engine.list().result().processes}
    left = []
    for session_id, code, kind in book.open():
        row = rows.get(session_id)
        if row is None or row.status == "running":
            left.append((session_id, code, kind))
            continue
        assert row.exit_code in (None, code, -signal.SIGTERM), f"an invented exit code: {row}, truly {code}"
        if kind == "persists":
            _whole(engine, row, code)
            book.settle(session_id, "ended, whole")
        else:
            book.settle(session_id, row.completion_reason or "")
    return left


def _whole(engine: RemoteEngine, row: JobRow, code: int) -> None:
    """All lines, in order, none twice, and the true exit code."""
    log = engine.log(row.session_id, offset=0, limit=10 * LINES).result()
    assert isinstance(log, Logged), log
    assert log.output.split() == [str(number) for number in range(1, LINES + 1)], (row, log.output)
    assert (row.exit_code, row.completion_reason) == (code, "exited"), row


def _no_file_is_unreadable() -> None:
    aside = [path.name for path in home_folder().rglob("*.corrupt-*")]
    assert aside == []
