"""A home that can't be written stops no job; it is told once, with what to do, and so is that all is well again."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from engine import Engine
from tui.screens.reading import Reading

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


@pytest.fixture
def blocker(tmp_path: Path) -> Path:
    """A file where a folder is needed: no home can be made below it, by root neither."""
    path = tmp_path / "disk"
    path.write_text("")
    return path


@pytest.fixture
def engine(blocker: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("JOBDECK_HOME", str(blocker / "home"))
    with Engine() as engine:
        yield engine


async def test_jobs_run_and_the_trouble_is_told_once_with_what_to_do(console: "Opened", blocker: Path) -> None:
    async with console(size=(140, 40)) as shown:
        for number in range(3):
            slot = await shown.start(f"echo job {number}; exit 3", name=f"j{number}")
            await shown.until(lambda slot=slot, number=number: not slot.live and f"job {number}" in shown.pane_text())  # type: ignore[misc]
        await shown.until(lambda: shown.deck.saving_line.display and slot.job.receipt_pending)
        await shown.until(lambda: "✗ results can't be saved" in shown.screen_text())
        await shown.until(lambda: "not saved yet" in shown.stack_text())
        shown.deck.action_do("view.saving")
        await shown.until(lambda: isinstance(shown.app.screen, Reading))
        await shown.until(lambda: "set JOBDECK_HOME to a folder of yours" in shown.screen_text())
        await shown.until(lambda: "Jobs run on, and nothing is lost while jobdeck runs" in shown.screen_text())
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)
        blocker.unlink()
        await shown.until(lambda: not shown.deck.saving_line.display and not slot.job.receipt_pending)
        await shown.until(lambda: not shown.deck.offers("view.saving") and "⇡" not in shown.stack_text())


async def test_of_one_disk_there_is_one_toast(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        told: list[str] = []
        shown.deck.toast = lambda toast: told.append(toast.text)  # type: ignore[method-assign]
        for number in range(3):
            slot = await shown.start(f"exit {number}", name=f"j{number}", notify_on_complete=False)
            await shown.until(lambda slot=slot: not slot.live)  # type: ignore[misc]
        await shown.until(lambda: len(shown.deck.saving) > 0, "the disk to be told of")
        await shown.until(lambda: all(slot.job.receipt_pending for slot in shown.deck.store), "all to wait for it")
        assert len([text for text in told if "can't be" in text]) == 1, told
