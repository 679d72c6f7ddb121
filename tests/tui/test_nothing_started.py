"""A console in whose folder there are jobs of the file, none of them started, says what to press."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from file_jobs import BASE

from engine import Engine
from engine.config.loading import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.tui.conftest import Opened


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[Engine]":
    (tmp_path / "jobdeck.toml").write_text('[jobs.one]\ncommand = "exec sleep 7414"\n')
    monkeypatch.chdir(tmp_path)
    with Engine(configuration=load(base=BASE), runs_jobs=True) as engine:
        yield engine


async def test_the_empty_pane_says_how_a_job_of_the_file_is_started(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        await shown.until(lambda: "r  starts the job that is chosen" in shown.screen_text())
        await shown.press("r")
        await shown.until(lambda: "Enter  opens the job" in shown.screen_text())
