"""Jobs of the configuration file in the console: those that wait say for whom, and keys work on them."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from file_jobs import BASE

from engine import Engine
from engine.config.loading import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.tui.conftest import Opened

TEXT = """
[jobs.db]
command = "read x; echo db is up; exec sleep 7411"
stdin = "pipe"
ready = { line = "db is up" }
[jobs.web]
command = "echo hello from web; exec sleep 7412"
after = ["db"]
autostart = true
[jobs.crash]
command = "exit 3"
restart = "on-failure"
backoff = 50
autostart = true
[jobs.idle]
command = "echo hello from idle; exec sleep 7413"
"""


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Iterator[Engine]":
    (tmp_path / "jobdeck.toml").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    with Engine(configuration=load(base=BASE), runs_jobs=True) as engine:
        yield engine


async def test_who_waits_says_for_whom_and_starts_in_its_row_and_tab(console: "Opened") -> None:
    async with console(size=(150, 40)) as shown:
        await shown.until(lambda: "waits for db: the line 'db is up'" in shown.stack_text())
        await shown.until(lambda: "1 waiting" in shown.screen_text())
        await shown.until(lambda: "exit 3 · restart 1" in shown.stack_text())
        await shown.until(lambda: "not started" in shown.stack_text())
        row = next(line for line in shown.stack_text().splitlines() if "· idle" in line)
        assert "just now" not in row and "ago" not in row
        slots = {slot.job.name: slot for slot in shown.deck.store}
        shown.deck.stack.select(slots["web"].id)
        await shown.press("enter")
        await shown.until(lambda: "x calls it off" in shown.screen_text())
        await shown.until(lambda: slots["db"].live)
        shown.engine.submit(slots["db"].job.session_id, "go").result()
        await shown.until(lambda: "hello from web" in shown.pane_text())
        assert [slot.job.name for slot in shown.deck.store].count("web") == 1


async def test_jobs_stand_in_the_order_of_the_file_whichever_comes_up_first(console: "Opened") -> None:
    async with console("echo by hand; sleep 1000", size=(150, 40)) as shown:
        await shown.until(lambda: len(shown.deck.store) == 5)
        await shown.until(lambda: "exit 3 · restart 1" in shown.stack_text())
        slots = {slot.job.name: slot for slot in shown.deck.store}
        for name in ("idle", "crash", "db"):
            shown.engine.restart(slots[name].job.session_id).result()
        await shown.until(lambda: slots["idle"].live and slots["db"].live)
        await shown.until(lambda: [slot.job.place for slot in shown.deck.store] == [1, 2, 3, 4, 0])
        assert [slot.job.name for slot in shown.deck.store][:4] == ["db", "web", "crash", "idle"]


async def test_keys_call_off_start_and_take_from_the_list(console: "Opened") -> None:
    async with console(size=(150, 40)) as shown:
        await shown.until(lambda: "exit 3 · restart 1" in shown.stack_text())
        await shown.until(lambda: "waits for db: the line 'db is up'" in shown.stack_text())
        slots = {slot.job.name: slot for slot in shown.deck.store}
        shown.deck.stack.select(slots["crash"].id)
        await shown.press("x")
        await shown.until(lambda: "crash isn't started again by itself" in "\n".join(shown.said))
        await shown.until(lambda: "restart 1" not in shown.stack_text())
        shown.deck.stack.select(slots["web"].id)
        await shown.press("r")
        await shown.until(lambda: "web was not started yet: it waits for db: the line" in "\n".join(shown.said))
        await shown.press("x")
        await shown.until(lambda: "web was called off" in "\n".join(shown.said))
        await shown.until(lambda: "waits for db" not in shown.stack_text())
        shown.deck.stack.select(slots["idle"].id)
        await shown.press("r")
        await shown.until(lambda: "hello from idle" in shown.stack_text())
        await shown.until(lambda: "● idle started · x kills it" in "\n".join(shown.said))
