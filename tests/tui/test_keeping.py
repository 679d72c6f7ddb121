"""Jobs that outlive jobdeck: the switch that starts them so, their mark, and what leaving makes of them."""

import re
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
import pytest
from textual.widgets import Button, Checkbox

from engine import Engine, Settings
from engine.events import JobChanged
from tui.screens.quit import Quit
from tui.store import Slot

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    """As any, but jobs that would live on end with the test."""
    with Engine(settings) as engine:
        yield engine
        for row in engine.list().result().processes:
            engine.kill(row.session_id, now=True).result()


async def asked(shown: "Console") -> Quit:
    """The question at the way out."""
    await shown.press("q")
    await shown.until(lambda: isinstance(shown.app.screen, Quit) and isinstance(shown.app.focused, Button))
    assert isinstance(shown.app.screen, Quit)
    return shown.app.screen


def offered(dialog: Quit) -> list[str]:
    return [str(button.label) for button in dialog.query(Button) if button.display]


def age(shown: "Console", slot: Slot, seconds: float) -> None:
    """The engine says that this job has run for so long."""
    older = msgspec.structs.replace(slot.job, started_at=time.time() - seconds)
    shown.deck.take_events([JobChanged(1, time.time(), older)])


def running(engine: Engine) -> set[str]:
    return {row.name for row in engine.list().result().processes if row.status == "running"}


async def test_the_switch_starts_a_job_that_is_kept_and_it_is_marked(console: "Opened") -> None:
    async with console(size=(160, 40)) as shown:
        await shown.dialog("a", "command")
        await shown.type("sleep 1000")
        shown.app.screen.query_one("#keep", Checkbox).value = True
        await shown.press("enter")
        await shown.until(lambda: len(shown.deck.store) == 1)
        (slot,) = shown.deck.store
        await shown.until(lambda: "∞" in shown.stack_text())
        assert slot.job.persist_on_release
        await shown.until(lambda: "∞ kept when jobdeck ends" in shown.screen_text())
        await shown.press("d")
        await shown.until(lambda: re.search(r"at the end +∞ kept when jobdeck ends", shown.screen_text()))
        await shown.press("d")
        await shown.dialog("a", "command")
        assert not shown.app.screen.query_one("#keep", Checkbox).value, "the next one is asked about anew"
        await shown.back()


async def test_the_mark_has_its_word_where_there_is_room(console: "Opened") -> None:
    async with console(size=(180, 40)) as shown:
        await shown.start("sleep 1000", name="kept", persist_on_release=True)
        await shown.until(
            lambda: [row.split()[-1:] for row in shown.stack_text().splitlines()[1:3]] == [["∞"], ["kept"]]
        )
        await shown.pilot.resize_terminal(80, 24)
        await shown.until(lambda: len(shown.stack_text().splitlines()) == 1 and shown.stack_text().endswith("∞"))


async def test_leaving_offers_nothing_that_it_cannot_do(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 1000", name="web", open_tab=False)
        dialog = await asked(shown)
        await shown.until(lambda: offered(dialog) == ["Kill and leave  x", "Cancel  Esc"])
        await shown.until(lambda: "it wasn't started with “keep when jobdeck ends”" in shown.screen_text())
        await shown.until(lambda: "persist = true in jobdeck.toml" in shown.screen_text(), "what would keep it")
        await shown.press("k")
        assert shown.app.screen is dialog and running(shown.engine) == {"web"}
        await shown.press("x")
        await shown.until(lambda: not shown.app.is_running)
        assert running(shown.engine) == set()


async def test_leaving_with_kept_jobs_alone_ends_none(console: "Opened", capsys: pytest.CaptureFixture[str]) -> None:
    async with console(size=(140, 40)) as shown:
        for name in ("api", "db"):
            await shown.start("sleep 1000", name=name, open_tab=False, persist_on_release=True)
        dialog = await asked(shown)
        await shown.until(lambda: offered(dialog) == ["Keep and leave  k", "Kill all and leave  x", "Cancel  Esc"])
        await shown.until(lambda: "Keep leaves them running. Kill ends all" in shown.screen_text())
        assert "can't be kept" not in shown.screen_text()
        assert "persist = true" not in shown.screen_text()
        await shown.press("k")
        await shown.until(lambda: not shown.app.is_running)
        assert running(shown.engine) == {"api", "db"}
    said = capsys.readouterr()
    assert "2 jobs live on" in said.out + said.err


async def test_keep_ends_those_that_cant_be_kept_and_says_so_before(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 1000", name="api", open_tab=False, persist_on_release=True)
        await shown.start("sleep 1000", name="web", open_tab=False)
        await asked(shown)
        await shown.until(lambda: "Keep ends web and leaves the rest running." in shown.screen_text())
        await shown.until(lambda: "can't be kept: it wasn't started with" in shown.screen_text())
        await shown.press("y")
        await shown.until(lambda: not shown.app.is_running)
        assert running(shown.engine) == {"api"}


async def test_kill_ends_kept_jobs_too(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 1000", name="api", open_tab=False, persist_on_release=True)
        await shown.start("sleep 1000", name="web", open_tab=False)
        dialog = await asked(shown)
        await shown.until(lambda: "Kill all and leave  x" in offered(dialog))
        await shown.press("x")
        await shown.until(lambda: not shown.app.is_running)
        assert running(shown.engine) == set()


@pytest.mark.parametrize("settings", [Settings(term_grace_seconds=600)])
async def test_who_is_waited_for_is_shown_and_who_lives_on(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 1000", name="api", open_tab=False, persist_on_release=True)
        deaf = await shown.start("trap '' TERM; echo deaf; while :; do sleep 0.05; done", name="web")
        await shown.until(lambda: "deaf" in shown.pane_text())
        await asked(shown)
        await shown.press("k")
        await shown.until(lambda: "Ending 1 job…" in shown.screen_text() and "∞ api lives on" in shown.screen_text())
        await shown.until(lambda: "waits for" in shown.screen_text())
        await shown.press("X")
        await shown.until(lambda: not shown.app.is_running)
        assert not deaf.live and running(shown.engine) == {"api"}


async def test_old_jobs_are_listed_apart_each_with_its_fate(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        kept = await shown.start("sleep 1000", name="nightly", open_tab=False, persist_on_release=True)
        plain = await shown.start("sleep 1000", name="tail", open_tab=False)
        for slot in (kept, plain):
            age(shown, slot, 3 * 86_400)
        await asked(shown)
        await shown.until(lambda: "for more than a day" in shown.screen_text())

        def fate(name: str) -> str:
            return next((line for line in shown.screen_text().splitlines() if f"{name}  3d" in line), "")

        await shown.until(lambda: "∞ can live on" in fate("nightly") and "can't be kept" in fate("tail"))
        await shown.back()
        assert running(shown.engine) == {"nightly", "tail"}


async def test_a_detached_job_says_what_can_be_done_with_it(console: "Opened") -> None:
    async with console(size=(160, 40)) as shown:
        slot = await shown.start("sleep 1000", name="found", open_tab=False)
        shown.deck.take_events([JobChanged(1, time.time(), msgspec.structs.replace(slot.job, detached=True))])
        await shown.until(lambda: "? found" in shown.stack_text() and "detached · x ends it" in shown.stack_text())
        await shown.until(lambda: "? 1 detached" in shown.deck.header.plain)
        shown.deck.area.open(slot.id)
        await shown.until(lambda: "? taken over without its output: x ends it" in shown.screen_text())


async def test_a_result_that_isnt_on_the_disk_yet_says_so(console: "Opened") -> None:
    async with console(size=(160, 40)) as shown:
        slot = await shown.start("exit 3", name="tests")
        await shown.until(lambda: not slot.live)
        pending = msgspec.structs.replace(slot.job, receipt_pending=True)
        shown.deck.take_events([JobChanged(1, time.time(), pending)])
        await shown.until(lambda: "⇡" in shown.stack_text() and "exit 3 · not saved yet" in shown.stack_text())
        await shown.until(lambda: "its result isn't on the disk yet; it is tried again" in shown.screen_text())
        saved = msgspec.structs.replace(slot.job, receipt_pending=False)
        shown.deck.take_events([JobChanged(2, time.time(), saved)])
        await shown.until(lambda: "⇡" not in shown.screen_text())
