"""Where no process can be made (EAGAIN), a start fails in words, what runs goes on, and later starts work again."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

ROOT = Path(__file__).parents[2]
SCRIPT = """
import os, sys
from pathlib import Path
root, group = sys.argv[1], Path(sys.argv[2])
sys.path[:0] = [root, root + "/tests/fixtures"]
(group / "cgroup.procs").write_text(str(os.getpid()))
from waiting import wait_until
from engine import Engine, JobSpec, StartError

with Engine() as engine:
    runs = engine.spawn(JobSpec(command="read x; echo got $x; exit 7", stdin="pipe")).result().session_id
    wait_until(lambda: engine.list().result().processes[0].status == "running")
    assert engine.registry.writer.flush(30)
    (group / "pids.max").write_text("1")
    failures = []
    for pty in (False, True):
        try:
            engine.spawn(JobSpec(command="echo never", pty=pty)).result(60)
        except StartError as error:
            failures.append(str(error))
    assert len(failures) == 2 and all("no process can be made" in text for text in failures), failures
    engine.submit(runs, "on").result()
    (group / "pids.max").write_text("max")
    ended = engine.wait(runs).result()
    assert (ended.output, ended.exit_code) == ("got on\\n", 7), ended
    fine = engine.wait(engine.spawn(JobSpec(command="echo fine")).result().session_id).result()
    assert (fine.output, fine.exit_code) == ("fine\\n", 0), fine
print("all well")
"""


def _hierarchies() -> Iterator[Path]:
    for root in (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup/unified"), Path("/sys/fs/cgroup")):
        if (root / "cgroup.procs").exists():
            yield root


@pytest.fixture
def group() -> Iterator[Path]:
    """A group of processes whose number can be bounded."""
    for root in _hierarchies():
        made = root / f"jobdeck-test-{os.getpid()}"
        with suppress(OSError):
            made.mkdir()
            if (made / "pids.max").exists():
                break
            made.rmdir()
    else:
        pytest.skip("no cgroup that bounds the number of processes can be made here")
    yield made
    with suppress(OSError):
        (made / "pids.max").write_text("max")
    wait_until(lambda: not (made / "cgroup.procs").read_text().strip(), what="the group to be empty")
    made.rmdir()


def test_a_start_without_a_process_left_fails_in_words_and_what_runs_goes_on(group: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(ROOT), str(group)],
        capture_output=True,
        text=True,
        timeout=4 * PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "all well\n"), done.stderr
