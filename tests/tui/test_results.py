"""Results of jobs that are over, listed newest first and opened as panes, by the next console too."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Input

from engine import Engine, JobSpec, Settings
from tui.screens.new_job import NewJob
from tui.screens.results import EarlierResults
from tui.widgets.result_rows import ResultRows

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

SMALL = Settings(max_output_chars=2_000)


@pytest.fixture
def engine(settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """One whose home holds the results of an engine before it."""
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "home"))
    with Engine(settings) as before:
        for name, command in (
            ("tests", "seq 1 1000; echo [b]3 failed[/b]; exit 1"),
            ("build", "echo compiled"),
        ):
            started = before.spawn(JobSpec(name=name, command=command)).result()
            before.wait(started.session_id).result()
    with Engine(settings) as engine:
        yield engine


def rows(shown: "Console", width: int = 96) -> list[str]:
    """The list, blanks gone."""
    found = shown.app.screen.query_one(ResultRows)
    lines = ["".join(piece.text for piece in found.pieces(number, width)) for number in range(found.end)]
    return [" ".join(line.split()) for line in lines]


async def listed(shown: "Console") -> None:
    await shown.dialog("R", "filter")
    await shown.until(lambda: len(rows(shown)) == 2)


async def test_results_are_listed_newest_first_with_their_ends(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await listed(shown)
        build, tests = rows(shown)
        assert build.startswith("✓ build exit 0 ") and build.endswith("operator echo compiled")
        assert tests.startswith("✗ tests exit 1 ") and "3.9k chars" in tests
        await shown.until(lambda: "2 results, the newest above" in shown.screen_text())
        await shown.press("escape")
        await shown.until(lambda: shown.app.screen is shown.deck)


async def test_typing_filters_and_enter_opens_the_output(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await listed(shown)
        await shown.type("exit 1")
        await shown.until(lambda: [row[:7] for row in rows(shown)] == ["✗ tests"])
        await shown.until(lambda: "1 of 2 fit" in shown.screen_text())
        await shown.press("enter")
        await shown.until(lambda: "[b]3 failed[/b]" in shown.pane_text())
        await shown.until(lambda: "↩ read back from its receipt" in shown.screen_text())
        await shown.until(lambda: "all of its output" in shown.screen_text())
        (slot,) = shown.deck.store
        assert shown.pane_lines(slot)[:2] == ["1", "2"] and not slot.live
        assert shown.said == [], "it notifies nobody again"


@pytest.mark.parametrize("settings", [SMALL])
async def test_the_pane_says_how_much_of_the_output_is_left(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await listed(shown)
        await shown.press("down", "enter")
        await shown.until(lambda: "the last 2,000 characters" in shown.screen_text())
        await shown.until(lambda: "[b]3 failed[/b]" in shown.pane_text())
        (slot,) = shown.deck.store
        assert shown.pane_lines(slot)[0] != "1"


async def test_what_is_open_is_opened_once(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        for _ in range(2):
            shown.deck.set_focus(shown.deck.stack)
            await listed(shown)
            await shown.press("enter")
            await shown.until(lambda: "compiled" in shown.pane_text() and shown.deck.area.pane_has_focus)
        assert len(shown.deck.store) == 1 and len(shown.deck.area.order) == 1


async def test_starting_one_again_shows_what_will_run(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await listed(shown)
        await shown.press("enter")
        await shown.until(lambda: "compiled" in shown.pane_text())
        await shown.press("r")
        await shown.until(lambda: isinstance(shown.app.screen, NewJob) and isinstance(shown.app.focused, Input))
        await shown.until(lambda: shown.app.screen.query_one("#command", Input).value == "echo compiled")
        await shown.press("enter")
        await shown.until(lambda: len(shown.deck.store) == 2)


async def test_a_result_that_is_gone_meanwhile_is_told(console: "Opened", tmp_path: Path) -> None:
    async with console(size=(140, 40)) as shown:
        await listed(shown)
        for path in (tmp_path / "home" / "logs" / "process-results").iterdir():
            path.unlink()
        await shown.press("enter")
        await shown.until(lambda: any("build can't be opened" in said for said in shown.said))


async def test_nothing_yet_is_said(console: "Opened", engine: Engine, tmp_path: Path) -> None:
    for path in (tmp_path / "home" / "logs" / "process-results").iterdir():
        path.unlink()
    async with console(size=(80, 24)) as shown:
        await shown.dialog("R", "filter")
        await shown.until(lambda: "nothing yet" in shown.screen_text())
        await shown.press("enter")
        assert isinstance(shown.app.screen, EarlierResults)
