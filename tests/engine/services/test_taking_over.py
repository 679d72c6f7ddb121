"""Two jobdecks of one folder: one has its jobs, the other takes them over when that is gone, however it went."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil
import pytest
from file_jobs import BASE, Jobs, Run
from folder_host import hosting
from waiting import wait_until

from engine import Engine, Settings
from engine.config.loading import load
from engine.events import JobState
from engine.results import Refused

TWO = """
[jobs.one]
command = "exec sleep 7431"
autostart = true
[jobs.two]
command = "exec sleep 7432"
autostart = true
"""
HERE_NOW = "are run here now"


@pytest.fixture
def second(folder: Path) -> Iterator[Run]:
    """Another jobdeck of the folder, in this process."""
    with ExitStack() as stack:

        def begin(settings: Settings = BASE) -> Jobs:
            return Jobs(stack.enter_context(Engine(configuration=load(base=settings), follows=True, runs_jobs=True)))

        yield begin


def noted(*stopped: str) -> bool:
    """Does the disk tell the next jobdeck who has the jobs, and that these were stopped by hand?"""
    for path in Path(os.environ["JOBDECK_HOME"]).glob("job_*.json"):
        told = json.loads(path.read_bytes())
        return bool(told.get("host")) and set(stopped) <= set(told.get("stopped", ()))
    return False


def sleepers(number: int) -> list[int]:
    """Who sleeps for that long among this test's jobs."""
    found = []
    for one in psutil.process_iter(["cmdline"]):
        if one.info["cmdline"] == ["sleep", str(number)]:
            with suppress(psutil.Error):
                if one.environ().get("JOBDECK_HOME") == os.environ["JOBDECK_HOME"]:
                    found.append(one.pid)
    return found


def sleeping(*numbers: int) -> list[int]:
    """How many of them sleep for each of these, as yet: a shell becomes one in a moment."""
    return [len(sleepers(number)) for number in numbers]


def test_the_second_jobdeck_takes_the_jobs_over_when_the_first_is_quit(run: Run, second: Run) -> None:
    first = run(TWO + '[jobs.kept]\ncommand = "exec sleep 7438"\npersist = true\nautostart = true\n')
    first.runs("one")
    first.runs("two")
    kept = first.runs("kept")
    wait_until(noted)
    other = second()
    other.told("are another jobdeck's already (process")
    assert not other.rows()
    first.engine.shutdown()
    other.told(HERE_NOW)
    other.runs("one")
    other.runs("two")
    assert other.runs("kept").session_id == kept.session_id
    wait_until(lambda: sleeping(7431, 7432, 7438) == [1, 1, 1])
    other.engine.kill(kept.session_id).result()


def test_from_one_that_was_killed_it_takes_what_runs_on_starts_what_died_and_leaves_alone_what_was_stopped_by_hand(
    folder: Path, second: Run
) -> None:
    (folder / "jobdeck.toml").write_text(
        '[jobs.db]\ncommand = "echo up; exec sleep 7433"\npersist = true\nready = { line = "up" }\nautostart = true\n'
        '[jobs.web]\ncommand = "exec sleep 7434"\nafter = ["db"]\nautostart = true\n' + TWO
    )
    with hosting(folder) as first:
        wait_until(lambda: sleeping(7431, 7432, 7433, 7434) == [1, 1, 1, 1] and noted())
        other = second()
        other.told(f"(process {first.process.pid})")
        first.tell("kill", "two")
        wait_until(lambda: noted("two"))
        (before,) = sleepers(7433)
        first.process.kill()
        other.told(HERE_NOW)
        assert other.runs("db").pid == before
        other.runs("web")
        other.runs("one")
        wait_until(lambda: sleeping(7431, 7432, 7433, 7434) == [1, 0, 1, 1])
        assert other.row("two").label == "not started"
        other.engine.restart(other.row("two").session_id).result()
        other.runs("two")
        other.engine.kill(other.row("db").session_id).result()


def test_one_that_was_killed_during_a_back_off_is_followed_by_one_that_starts_the_job(
    folder: Path, second: Run
) -> None:
    (folder / "jobdeck.toml").write_text(
        '[jobs.one]\ncommand = "test -e fixed && exec sleep 7435; touch fixed"\nrestart = "always"\nbackoff = 1000\n'
        "autostart = true\n"
    )
    with hosting(folder) as first:
        wait_until((folder / "fixed").exists)
        other = second()
        other.told("are another jobdeck's already")
        first.process.kill()
        other.runs("one")
        wait_until(lambda: sleeping(7435) == [1])


def test_of_three_one_at_a_time_has_them(run: Run, second: Run) -> None:
    first = run(TWO)
    first.runs("one")
    others = [second(), second()]
    for other in others:
        other.told("are another jobdeck's already")
    first.engine.shutdown()
    wait_until(lambda: any(len(other.rows()) == 2 for other in others))
    heir = next(other for other in others if other.rows())
    heir.runs("one")
    heir.runs("two")
    last = next(other for other in others if other is not heir)
    assert not last.rows()
    wait_until(lambda: sleeping(7431, 7432) == [1, 1])
    heir.engine.shutdown()
    last.runs("one")
    last.runs("two")
    wait_until(lambda: sleeping(7431, 7432) == [1, 1])


def test_a_run_that_a_jobdeck_of_another_folder_took_over_gets_no_second_beside_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: Run
) -> None:
    (folder / "jobdeck.toml").write_text(
        '[jobs.one]\ncommand = "exec sleep 7436"\npersist = true\nautostart = true\n'
        '[jobs.two]\ncommand = "exec sleep 7437"\nautostart = true\n'
    )
    with hosting(folder) as first:
        wait_until(lambda: sleeping(7436, 7437) == [1, 1])
        first.process.kill()
        first.process.wait()
        with Engine(BASE) as stranger:
            there = Jobs(stranger).runs("one")
            here = second()
            here.runs("two")
            wait_until(lambda: sleeping(7436, 7437) == [1, 1])
            assert [row.name for row in here.every()] == ["two"]
            stranger.kill(there.session_id).result()
            one = here.until("one", lambda row: row.label == "not started")
            here.engine.restart(one.session_id).result()
            assert here.runs("one").state is JobState.RUNNING
            wait_until(lambda: sleeping(7436) == [1])
            here.engine.kill(here.row("one").session_id).result()
    assert not isinstance(here.engine.poll(here.row("two").session_id).result(), Refused)
