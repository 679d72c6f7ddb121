"""Files that restart a job: many at once, saved in each way, in folders that come and go."""

import asyncio
import shutil
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import watchfiles
from file_jobs import Jobs, Run
from waiting import PATIENCE, wait_until_async

import engine.store.watching
from engine.events import JobState, JobView
from engine.services.changes import Changes

MANY = 1_000


def watching(jobs: Jobs) -> None:
    services = jobs.engine._rooms._services
    assert services is not None
    assert services._changes is not None
    assert services._changes.watching.wait(PATIENCE)


def another(jobs: Jobs, before: JobView) -> JobView:
    return jobs.until("one", lambda row: row.session_id != before.session_id and row.state is JobState.RUNNING)


def one(*patterns: str) -> str:
    listed = ", ".join(f'"{pattern}"' for pattern in patterns)
    return f'[jobs.one]\ncommand = "exec sleep 7451"\nautostart = true\nrestart_on_change = [{listed}]\n'


def test_a_checkout_of_thousands_of_files_is_one_change(run: Run, folder: Path) -> None:
    (folder / "src").mkdir()
    for number in range(MANY):
        (folder / "src" / f"{number}.py").touch()
    jobs = run(one("src/**/*.py"))
    first = jobs.runs("one")
    watching(jobs)
    shutil.rmtree(folder / "src")
    (folder / "src").mkdir()
    for number in range(MANY):
        (folder / "src" / f"{number}.py").write_text("x")
    another(jobs, first)
    jobs.told("one is restarted: src")
    # The folder is another one than was watched at first; what is in it counts all the same.
    jobs.until("one", lambda row: jobs.count("one") < 10 and row.state is JobState.RUNNING)
    before = jobs.row("one")
    (folder / "src" / "new.py").touch()
    another(jobs, before)
    assert jobs.count("one") < 10


@pytest.mark.parametrize("way", ["in place", "by rename", "by removal"])
def test_each_way_to_save_a_file_restarts_each_time(run: Run, folder: Path, way: str) -> None:
    file = folder / "app.conf"
    file.write_text("0")
    jobs = run(one("app.conf"))
    now = jobs.runs("one")
    watching(jobs)
    for number in range(2):
        if way == "by rename":
            (folder / "app.conf.new").write_text(str(number))
            (folder / "app.conf.new").rename(file)
        else:
            if way == "by removal":
                file.unlink()
            file.write_text(str(number) * 2)
        now = another(jobs, now)


@pytest.mark.parametrize("way", ["by removal", "by rename"])
def test_a_file_that_is_saved_while_it_is_looked_at_restarts(
    run: Run, folder: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between what the patterns lead to and which ones of these are there: the next look finds one that fits again."""
    file, new = folder / "app.conf", folder / "app.conf.new"
    file.write_text("0")
    armed, look = threading.Event(), engine.store.watching._marked

    def amid(folders: Sequence[Path]) -> dict[Path, tuple[int, int]]:
        saves = armed.is_set()
        armed.clear()
        if saves and way == "by rename":
            new.write_text("1")
            new.rename(file)
        elif saves:
            file.unlink()
        found = look(folders)
        if saves and way == "by removal":
            file.write_text("1")
        return found

    monkeypatch.setattr("engine.store.watching._marked", amid)
    jobs = run(one("app.conf"))
    before = jobs.runs("one")
    watching(jobs)
    armed.set()
    another(jobs, before)


def test_a_folder_that_comes_later_counts(run: Run, folder: Path) -> None:
    jobs = run(one("later/**/*.py"))
    now = jobs.runs("one")
    watching(jobs)
    (folder / "later" / "deep").mkdir(parents=True)
    (folder / "later" / "deep" / "a.py").touch()
    now = another(jobs, now)
    (folder / "later" / "deep" / "b.py").touch()
    another(jobs, now)


def test_a_new_folder_counts_with_all_that_is_in_it(run: Run, folder: Path) -> None:
    (folder / "src").mkdir()
    jobs = run(one("src/**/*.py"))
    now = jobs.runs("one")
    watching(jobs)
    (folder / "aside" / "deep").mkdir(parents=True)
    (folder / "aside" / "deep" / "a.py").touch()
    (folder / "aside").rename(folder / "src" / "moved")
    now = another(jobs, now)
    for name in ("__pycache__", "made"):  # of what counts as nothing, nothing counts
        (folder / "src" / name).mkdir()
        (folder / "src" / name / "b.py").touch()
    jobs.told("one is restarted: src/made/b.py has changed")
    another(jobs, now)


def test_a_replaced_folder_is_told_once_it_is_watched(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who restarts on it sooner could miss what changes until then."""
    begun, may, watch = threading.Event(), threading.Event(), watchfiles.watch
    may.set()

    def slowly(*roots: Path, **more: Any) -> Iterator[Any]:
        begun.set()
        assert may.wait(PATIENCE)
        yield from watch(*roots, **more)

    monkeypatch.setattr(watchfiles, "watch", slowly)
    monkeypatch.setattr("engine.services.changes._CALM_SECONDS", 0.0)
    (folder / "src").mkdir()
    told: list[str] = []

    async def replace() -> None:
        loop = asyncio.get_running_loop()
        changes = Changes(loop, folder, {"one": ("src/*.py",)}, lambda name, _: told.append(name), print, print)
        await wait_until_async(changes.watching.is_set)
        may.clear()
        begun.clear()
        (folder / "src").rename(folder / "old")
        (folder / "src").mkdir()
        await wait_until_async(begun.is_set)
        await asyncio.sleep(0.1)  # long enough for what was told already
        assert told == []
        may.set()
        await wait_until_async(lambda: told)
        assert told == ["one"]
        changes.close()

    asyncio.run(replace())
