"""Changes of the goals' folder are told, by the kernel or by looking."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_until_async

from engine.store.folder_watch import FolderWatch


@pytest.mark.parametrize("how", ["told", "looked at"])
def test_changes_come_with_their_names_and_after_a_failure_by_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    def broken(*_args: object, **_options: object) -> None:
        raise OSError(28, "inotify watch limit reached")

    if how == "looked at":
        monkeypatch.setattr("watchfiles.watch", broken)
        monkeypatch.setattr("engine.store.folder_watch._LOOK_SECONDS", 0.02)

    async def run() -> None:
        told: list[frozenset[str]] = []
        failures: list[str] = []
        watch = FolderWatch(
            asyncio.get_running_loop(), tmp_path, told.append, lambda what, _error: failures.append(what)
        )
        await wait_until_async(lambda: frozenset() in told, what="the first look at all")
        (tmp_path / "goal_1.json").write_text("x")
        if how == "told":
            await wait_until_async(lambda: any("goal_1.json" in names for names in told))
            assert failures == []
        else:
            await wait_until_async(lambda: len(told) > 3)
            assert len(failures) == 1
        watch.close()

    asyncio.run(run())


class Counted(FolderWatch):
    looks = 0

    def _see(self, paths: set[str]) -> None:
        self.looks += 1
        super()._see(paths)


@pytest.mark.skipif(not hasattr(os, "eventfd"), reason="the kernel tells of changes by inotify, on Linux")
def test_who_watches_sleeps_until_something_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.store.watching._IDLE_MS", 150)
    folder = tmp_path / "watched"
    folder.mkdir()

    async def run() -> None:
        told: list[frozenset[str]] = []
        watch = Counted(asyncio.get_running_loop(), folder, told.append, lambda what, error: pytest.fail(str(error)))
        await wait_until_async(lambda: watch._stillness is not None, what="it to have been still for a while")
        await wait_until_async(lambda: watch.looks > 1)
        looks = watch.looks
        await asyncio.sleep(1.0)  # awake, it would look six times more
        assert watch.looks <= looks + 1
        (folder / "one").write_text("x")
        await wait_until_async(lambda: frozenset({"one"}) in told, what="the first change")
        folder.rename(tmp_path / "elsewhere")
        folder.mkdir()
        await wait_until_async(lambda: told[-1] == frozenset(), what="the other folder to be looked at")

        def another_is_told() -> bool:
            (folder / "two").touch()  # it may have looked while the folder wasn't there, and watches the one above yet
            return frozenset({"two"}) in told

        await wait_until_async(another_is_told, what="a change in the other folder")
        await wait_until_async(lambda: watch._stillness is not None, what="it to be still again")
        before = {one for one in threading.enumerate() if one.name == "jobdeck-watchfiles"}
        assert before
        watch.close()
        await wait_until_async(lambda: not any(one.is_alive() for one in before), what="its thread to end")

    asyncio.run(run())


def test_a_folder_that_was_away_for_a_moment_is_watched_again(tmp_path: Path) -> None:
    """It goes just before it would be watched, and is back as the same folder it was."""
    folder = tmp_path / "watched"
    folder.mkdir()

    class Flickering(FolderWatch):
        went = False

        def _nearest(self) -> Any:
            yield folder
            if not self.went:  # it has been looked at, and comes to be watched now
                self.went = True
                folder.rename(tmp_path / "away")
                threading.Timer(0.02, (tmp_path / "away").rename, (folder,)).start()

    async def run() -> None:
        told: list[frozenset[str]] = []
        watch = Flickering(asyncio.get_running_loop(), folder, told.append, lambda what, error: pytest.fail(str(error)))
        await wait_until_async(lambda: frozenset() in told, what="it to be watched")
        (folder / "one").write_text("x")
        await wait_until_async(lambda: frozenset({"one"}) in told, what="a change")
        watch.close()

    asyncio.run(run())
