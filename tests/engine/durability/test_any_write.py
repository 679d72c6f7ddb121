"""An engine is killed at any change of its files, and those that see to its jobs are, too: whatever is lost of it, each
end is told, and none twice.

Half of the jobs have a holder, which is killed now and then; other processes have the locks that all jobdecks share
most of the time. ``JOBDECK_TEST_CRASHES=300`` for as many rounds as that, ``JOBDECK_TEST_SEED`` for others.
"""

import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from fates import Console, entries, home, quiet
from waiting import PATIENCE, wait_until

from engine import Caller, Engine
from engine.events import Completion, Recovered
from engine.process.identity import is_alive, send_signal
from engine.registry.adopting import find_held

ROUNDS = int(os.environ.get("JOBDECK_TEST_CRASHES", "6"))
SEED = int(os.environ.get("JOBDECK_TEST_SEED", "7"))
AGENT = "conv_a"

DYING = """
import itertools, os, random, sys, threading, time
from pathlib import Path
journal, seed, last, delay, lock, busy = sys.argv[1:]
last, delay = int(last), float(delay)
chance, changes = random.Random(int(seed)), itertools.count(1)
journal = os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def say(*words):
    os.write(journal, (" ".join(words) + "\\n").encode())

def change():
    time.sleep(chance.random() ** 3 * delay)
    if next(changes) >= last:
        os.kill(os.getpid(), 9)

def killed_around(name):
    done = getattr(Path, name)
    def around(self, *words, **more):
        change()
        result = done(self, *words, **more)
        change()
        return result
    setattr(Path, name, around)

for name in ("replace", "rename", "unlink"):
    killed_around(name)

from engine import Caller, Engine, JobSpec
from engine.store.lock import FileLock

def hinder():
    held = FileLock(Path(os.environ["JOBDECK_HOME"]) / lock)
    while True:
        held.acquire_when_free()
        time.sleep(chance.random() * 0.3)
        held.release()
        time.sleep(chance.random() * 0.1)

os.makedirs(os.environ["JOBDECK_HOME"], mode=0o700, exist_ok=True)
if lock:
    threading.Thread(target=hinder, daemon=True).start()
with Engine() as engine:
    agent = engine.api(Caller("conv_a"))
    if not busy:
        time.sleep(5)
        os.kill(os.getpid(), 9)
    while True:
        command = chance.choice(("true", "sleep 7471", "exit 3", "echo x; sleep 0.05"))
        spec = JobSpec(command=command, notify_on_complete=True, persist_on_release=chance.random() < 0.5)
        job = agent.spawn(spec).result().session_id
        say("started", job)
        deed = chance.random()
        if deed < 0.2:
            engine.kill(job).result()
        elif deed < 0.35:
            say("reads", job)  # what it was answered it may know, though we die before we can say so
            agent.kill(job).result()
        elif deed < 0.5 and "sleep" not in command:
            say("reads", job)
            agent.wait(job).result()
"""


class Journal(NamedTuple):
    """What a dying engine has told of its jobs."""

    started: list[str]
    may_be_known: set[str]


def journal(path: Path) -> Journal:
    lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
    return Journal(
        [job for verb, job in lines if verb == "started"],
        {job for verb, job in lines if verb == "reads"},
    )


def die(path: Path, chance: random.Random, last: int, *, busy: bool) -> None:
    """Run an engine until its ``last`` change of a file."""
    delay, lock = chance.choice(("0", "0.005", "0.05")), chance.choice(("", "processes.lock", "ledger.lock"))
    words = [str(path), str(chance.randrange(10**9)), str(last), delay, lock, "busy" if busy else ""]
    subprocess.run([sys.executable, "-c", DYING, *words], timeout=2 * PATIENCE, check=False)


@pytest.mark.timeout(60 * (ROUNDS + 2))
def test_each_end_is_told_once_whichever_change_of_a_file_was_the_last(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    for turn in range(ROUNDS):
        path = tmp_path / f"journal-{turn}"
        die(path, chance, chance.randrange(2, 160), busy=True)
        for _ in range(chance.choice((0, 1, 1, 2))):
            die(path, chance, chance.randrange(1, 30), busy=False)
        for held in find_held():
            if chance.random() < 0.2 and is_alive(held.holder):
                send_signal(held.holder, 9)
        told = journal(path)
        receipts = {one.stem for one in (home() / "logs" / "process-results").glob("proc_*.json")}
        with Engine() as engine:
            console, feed = Console(engine), engine.api(Caller(AGENT)).notices()
            quiet(engine)
            for row in engine.list().result().processes:
                if row.status == "running":
                    engine.kill(row.session_id).result()
            wait_until(lambda: not entries(), what="all of them to be seen to")
            quiet(engine)
            known = receipts | {row.session_id for row in engine.list().result().processes}
            assert [one for one in told.started if one not in known] == [], f"round {turn}: nobody knows of these"
            fates = [fate for one in console.of(Recovered) for fate in one.fates if fate.fate in ("finished", "lost")]
            assert set(Counter(fate.session_id for fate in fates).values()) <= {1}, f"round {turn}: found twice"
            ends = Counter(one.session_id for one in feed.take() if isinstance(one, Completion))
            assert set(ends.values()) <= {1}, f"round {turn}: told twice"
            untold = [one for one in told.started if one not in ends and one not in told.may_be_known]
            assert untold == [], f"round {turn}: told to nobody"
            assert engine.registry.writer.flush(PATIENCE)
        with Engine() as engine:
            console, feed = Console(engine), engine.api(Caller(AGENT)).notices()
            quiet(engine)
            assert console.of(Recovered) == [], f"round {turn}: found once more"
            assert feed.take() == [], f"round {turn}: told once more"
