"""An engine is killed at any instant: each job whose start it told is accounted for, once, and none ends twice.

In every other round somebody else has the checkpoint's lock most of the time, as jobdecks that start do for a moment.

``JOBDECK_TEST_KILLS=300`` for as many rounds as that.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from fates import Console, entries, home, quiet
from waiting import wait_until

from engine import Caller, Engine
from engine.events import Completion, Recovered

ROUNDS = int(os.environ.get("JOBDECK_TEST_KILLS", "8"))

BUSY = """
import os, sys, itertools, threading, time
from pathlib import Path
from engine import Caller, Engine, JobSpec
from engine.store.lock import FileLock
told = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)

def hinder():
    lock = FileLock(Path(os.environ["JOBDECK_HOME"]) / "processes.lock")
    while True:
        lock.acquire_when_free()
        time.sleep(0.3)
        lock.release()
        time.sleep(0.06)

with Engine() as engine:
    if sys.argv[2:]:
        threading.Thread(target=hinder, daemon=True).start()
    agent = engine.api(Caller("conv_a"))
    print("ready", flush=True)
    for number in itertools.count():
        command = ("true", "sleep 7470", "exit 3", "echo x; sleep 0.05")[number % 4]
        started = agent.spawn(JobSpec(command=command, notify_on_complete=True)).result()
        os.write(told, f"{started.session_id}\\n".encode())
        if number % 8 == 7:
            engine.kill(started.session_id).result()
"""


def test_each_job_of_a_killed_engine_is_accounted_for_once(tmp_path: Path) -> None:
    chance = random.Random(11)
    for turn in range(ROUNDS):
        told = tmp_path / f"told-{turn}"
        words = [sys.executable, "-c", BUSY, str(told), *["hindered"] * (turn % 2)]
        engine_process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert engine_process.stdout is not None and engine_process.stdout.readline() == "ready\n"
        time.sleep(chance.random() * 0.5)
        engine_process.kill()
        engine_process.communicate()
        started = told.read_text().split() if told.exists() else []
        receipts = {path.stem for path in (home() / "logs" / "process-results").glob("proc_*.json")}
        with Engine() as engine:
            console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
            quiet(engine)
            wait_until(lambda: not entries(), what="all of them to be seen to")
            fates = Counter(fate.session_id for one in console.of(Recovered) for fate in one.fates)
            rows = {row.session_id: row for row in engine.list().result().processes}
            assert all(row.status == "exited" for row in rows.values())
            missing = [one for one in started if one not in rows and one not in receipts]
            assert not missing, f"round {turn}: nobody knows what became of {missing}"
            assert set(fates.values()) <= {1}
            assert engine.registry.writer.flush(30)
            completions = Counter(one.session_id for one in feed.take() if isinstance(one, Completion))
            assert set(completions.values()) <= {1}, f"round {turn}: told twice"
            untold = [one for one in started if one not in completions]
            assert not untold, f"round {turn}: {untold} told to nobody"
        for path in (home() / "notices").glob("*.json"):
            assert not [one for one in json.loads(path.read_bytes())["letters"] if one["owner"]]
        with Engine() as engine:
            console, feed = Console(engine), engine.api(Caller("conv_a")).notices()
            quiet(engine)
            assert console.of(Recovered) == [] and feed.take() == []
