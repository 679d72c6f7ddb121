"""Batches and background agents on the screen: as a group with its progress, and all that came of them read at once."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_programs import configured
from textual.widgets import Input

from engine import Caller, Engine, Settings
from engine.delegation_results import Delegated
from engine.results import Started
from tui.screens.agents import AgentWork
from tui.widgets.agent_rows import AgentRows

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

ALICE = Caller(owner="conv_alice")


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    with Engine(configuration=configured(settings)) as engine:
        yield engine


def dispatched(engine: Engine, *tasks: str, name: str, caller: Caller = ALICE) -> Delegated:
    answer = engine.api(caller).delegate(tasks, "standin", name=name).result()
    assert isinstance(answer, Delegated)
    return answer


async def opened(shown: "Console") -> AgentWork:
    await shown.press("B")
    await shown.until(lambda: isinstance(shown.app.screen, AgentWork) and shown.app.focused is not None)
    assert isinstance(shown.app.screen, AgentWork)
    return shown.app.screen


def in_order(text: str, words: Sequence[str]) -> bool:
    places = [text.find(word) for word in words]
    return places == sorted(places) and -1 not in places


def heads(shown: "Console") -> list[str]:
    return [line.rstrip("▕ ") for line in shown.stack_text().splitlines() if "▾" in line]


async def test_a_batch_is_a_group_with_its_progress(console: "Opened", tmp_path: Path) -> None:
    go = tmp_path / "go"
    async with console(size=(140, 40)) as shown:
        await shown.start("sleep 7791", name="other", open_tab=False)
        dispatched(shown.engine, "say one", f"wait {go}; fail 3", f"wait {go}", name="the review")
        await shown.until(lambda: any("● the review" in head and "1/3" in head for head in heads(shown)))

        def order() -> list[str]:
            rows = shown.stack_text().splitlines()
            place = next((number for number, row in enumerate(rows) if "the review" in row), len(rows))
            return [row[:7].rstrip() for row in rows[place + 1 : place + 7 : 2]]

        await shown.until(lambda: order() == [" ✓ say", " ● wait", " ● wait"])
        assert "other" in shown.stack_text().split("the review")[0]
        go.touch()
        await shown.until(lambda: any("✓ the review" in head and "3/3 · 1 ✗" in head for head in heads(shown)))
        await shown.until(lambda: any("agents: the review · 2 of 3 done, 1 failed" in one for one in shown.said))
        await shown.until(lambda: shown.deck.batches_line.display)
        await shown.until(lambda: "2 of 3 done · 1 ✗" in shown.deck.batches_line.plain)


async def test_all_that_came_of_a_batch_is_read_in_one_place_in_order(console: "Opened") -> None:
    async with console(size=(140, 44)) as shown:
        dispatched(shown.engine, "say [b]first[/b]", "fail 3", "say third", name="the review")
        await shown.until(lambda: shown.deck.batches_line.display)
        await opened(shown)
        words = ("✓ 1 ·", "    [b]first[/b]", "✗ 2 ·", "failed (exit 3)", "✓ 3 ·", "    third", "tail -f")
        await shown.until(lambda: in_order(shown.screen_text(), words))
        await shown.press("down", "enter")
        await shown.until(lambda: shown.app.screen is shown.deck and shown.deck.area.pane is not None)
        await shown.until(lambda: not shown.deck.batches_line.display, "it to count as read")
        await shown.until(lambda: "[b]first[/b]" in shown.pane_text())


async def test_a_message_and_an_end_from_there(console: "Opened") -> None:
    async with console(size=(140, 44)) as shown:
        given = dispatched(shown.engine, "ask colour?; say ok", "hang", name="the review")
        await shown.until(lambda: len(shown.deck.store) == 2)
        dialog = await opened(shown)
        await shown.until(lambda: dialog.query_one(AgentRows).end == 3, "the batch and its two in the list")
        await shown.press("s")
        await shown.until(lambda: "select one below" in shown.screen_text())
        await shown.press("down", "s")
        await shown.until(lambda: isinstance(shown.app.focused, Input))
        await shown.type("jade, x and s")
        await shown.press("enter")
        await shown.until(lambda: not dialog.query_one("#message", Input).display)
        await shown.until(lambda: "answered: jade, x and s" in shown.screen_text(), "what it said to that")
        await shown.press("down", "x")
        await shown.until(lambda: "⊘ cancelled" in shown.screen_text())
        await shown.back()
        ended = shown.engine.batch_result(given.batch_id).result()
        assert [str(one.status) for one in getattr(ended, "results", ())] == ["done", "cancelled"]


async def test_what_a_background_agent_said_comes_up(console: "Opened") -> None:
    async with console(size=(140, 44)) as shown:
        started = shown.engine.background("say the answer; say is 42", "standin", name="thinker").result()
        assert isinstance(started, Started)
        await shown.until(lambda: any("✓ thinker finished" in one and "is 42" in one for one in shown.said))
        await shown.until(lambda: "✓ thinker" in shown.deck.batches_line.plain)
        await opened(shown)
        await shown.until(lambda: "    the answer" in shown.screen_text() and "    is 42" in shown.screen_text())
        await shown.back()
        await shown.until(lambda: not shown.deck.batches_line.display)


async def test_a_result_comes_up_also_where_who_asked_for_it_cannot_be_told(console: "Opened") -> None:
    async with console(size=(140, 44)) as shown:
        script = shown.engine.api(Caller(owner="conv_script", async_delivery=False))
        assert isinstance(script.background("say is 42", "standin", name="thinker").result(), Started)
        await shown.until(lambda: any("✓ thinker finished" in one and "is 42" in one for one in shown.said))
        await shown.until(lambda: "✓ thinker" in shown.deck.batches_line.plain)


async def test_a_console_opened_later_knows_what_came_of_it(console: "Opened") -> None:
    async with console(size=(140, 44)) as shown:
        dispatched(shown.engine, "say hello", name="the review")
        await shown.until(lambda: shown.deck.batches_line.display)
    async with console(size=(140, 44)) as shown:
        await shown.until(lambda: any("1/1" in head for head in heads(shown)))
        await opened(shown)
        await shown.until(lambda: "    hello" in shown.screen_text())
        await shown.back()


async def test_without_agents_there_is_nothing_to_open(console: "Opened") -> None:
    async with console() as shown:
        await shown.press("B")
        await shown.until(lambda: any("No agent does anything" in toast for toast in shown.said))
        assert shown.app.screen is shown.deck
