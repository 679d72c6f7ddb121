"""Changes of the goals' folder are told, by the kernel or by looking."""

import asyncio
from pathlib import Path

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
