"""A lock on a file is let go when its holder lets go or dies, whatever its holder has forked meanwhile."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import PATIENCE

from engine.store.lock import FileLock

FORKS = """
import os, sys, threading, time
from pathlib import Path
from engine.store.lock import FileLock
lock = FileLock(Path(sys.argv[1]))
if sys.argv[2] == "waits":  # somebody else has it just now: our descriptor is open, and locked later
    other = FileLock(Path(sys.argv[1]))
    other.acquire()
    waiter = threading.Thread(target=lock.acquire, args=(60,))
    waiter.start()
    time.sleep(0.1)
else:
    assert lock.acquire()
if os.fork() == 0:
    lock.release()
    time.sleep(600)
if sys.argv[2] == "waits":
    other.release()
    waiter.join()
assert lock.held
lock.release()
print("released", flush=True)
"""


@pytest.mark.parametrize("when", ["holds", "waits"])
def test_a_forked_child_does_not_keep_it(tmp_path: Path, when: str) -> None:
    path = tmp_path / "lock"
    words = [sys.executable, "-c", FORKS, str(path), when]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True) as parent:
        try:
            assert parent.stdout is not None
            assert parent.stdout.readline() == "released\n"
            assert FileLock(path).acquire(PATIENCE)  # the child closes its copy as the first thing it does
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(parent.pid, signal.SIGKILL)
