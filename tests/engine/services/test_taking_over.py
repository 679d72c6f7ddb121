"""Two jobdecks of one folder: one has its jobs, the other takes them over when that is gone, however it went."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest
from file_jobs import BASE, Jobs, Run
from folder_host import hosting
from waiting import PATIENCE, wait_until

from engine import Engine, Settings
from engine.config.loading import load
from engine.events import JobState, JobView
from engine.results import Refused, Started
from engine.services.services import Services

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


STUBBORN = """
[jobs.one]
command = "trap 'touch asked; while [ ! -e go ]; do sleep 0.02; done; exit' TERM; echo up; while :; do sleep 0.02; done"
persist = true
restart = "always"
autostart = true
"""


class Late:
    """The keepers of a second jobdeck, which come only when they are let, after the runs they are to keep."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.may_come = threading.Event()
        look = Services._others

        async def late(services: Services) -> Any:
            while not self.may_come.is_set():
                await asyncio.sleep(0.01)
            return await look(services)

        monkeypatch.setattr(Services, "_others", late)

    def come(self, jobs: Jobs) -> None:
        self.may_come.set()
        wait_until(lambda: jobs.engine.call("keepers", lambda: jobs.engine.registry.keepers is not None).result())


@pytest.fixture
def early(run: Run, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Jobs, JobView, Late]]:
    """A jobdeck that has a run of the last one, and not yet its keeper."""
    first = run(STUBBORN)
    before = first.until("one", lambda row: row.last_line == "up")
    first.engine.shutdown()
    late = Late(monkeypatch)
    patient = msgspec.structs.replace(BASE, term_grace_seconds=PATIENCE)
    with Engine(configuration=load(base=patient), runs_jobs=True) as engine:
        jobs = Jobs(engine)
        try:
            jobs.until("one", lambda row: row.session_id == before.session_id and row.state is JobState.RUNNING)
            yield jobs, before, late
        finally:
            late.may_come.set()
            Path("go").touch()
            for row in jobs.every():
                engine.kill(row.session_id).result()


def test_a_restart_that_comes_before_the_keeper_is_that_ones(early: tuple[Jobs, JobView, Late]) -> None:
    jobs, before, late = early
    restarted = jobs.engine.restart(before.session_id)
    jobs.engine.list().result()
    late.come(jobs)
    Path("go").touch()
    answer = restarted.result()
    assert isinstance(answer, Started)
    assert {row.session_id: row.waits for row in jobs.every()} == {before.session_id: "", answer.session_id: ""}
    assert jobs.engine.call("kept", lambda: jobs.engine.registry.jobs[answer.session_id].keeper is not None).result()


@pytest.mark.parametrize("when", ["before", "while"])
def test_who_was_killed_by_hand_before_the_keeper_came_stays_ended(
    early: tuple[Jobs, JobView, Late], when: str
) -> None:
    jobs, before, late = early
    killed = jobs.engine.kill(before.session_id)
    wait_until(Path("asked").exists)
    if when == "before":
        Path("go").touch()
        killed.result()
    late.come(jobs)
    Path("go").touch()
    assert killed.result().status == "killed"
    # Its keeper has had its turns before the loop answers this:
    jobs.engine.list().result()
    row = jobs.row("one")
    assert (row.session_id, row.state, row.waits, jobs.count("one")) == (before.session_id, JobState.EXITED, "", 1)
    service = jobs.engine._rooms._services._by_name["one"]  # type: ignore[union-attr]
    assert service.by_hand and not service.wanted
