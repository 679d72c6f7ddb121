"""While you were away: said in one line until it is read, listed in full, and every job of it can be opened."""

import time
from typing import TYPE_CHECKING

from engine.events import Fate, Recovered
from tui.screens.away import WhileAway
from tui.widgets.fate_rows import FateRows

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


def fate(name: str, what: str, session_id: str = "", **more: object) -> Fate:
    return Fate(
        session_id=session_id or f"proc_{name}", name=name, command=f"make {name}", owner="", fate=what,
        text=f"what is said of {name} [b]", exit_code=more.get("exit_code"),  # type: ignore[arg-type]
        exited_at=more.get("exited_at"),  # type: ignore[arg-type]
    )  # fmt: skip


def told(shown: "Console", *fates: Fate) -> None:
    shown.deck.take_events([Recovered(1, time.time(), fates)])


async def listed(shown: "Console") -> None:
    """The list is there, and has the keys."""
    await shown.until(lambda: isinstance(shown.app.screen, WhileAway) and isinstance(shown.app.focused, FateRows))
    await shown.arrived()


FOUR = (
    fate("api", "readopted"),
    fate("tests", "finished", exit_code=1, exited_at=time.time() - 600),
    fate("gone", "lost", exited_at=time.time() - 60),
    fate("found", "detached"),
)


async def test_it_is_shown_at_once_to_who_has_done_nothing_yet(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        told(shown, *FOUR)
        await listed(shown)
        said = (
            "While you were away",
            "? gone  lost",
            "? found  runs on, without its output",
            "✗ tests  ended, exit 1",
            "● api  runs on",
            "what is said of gone [b]",
        )
        await shown.until(lambda: all(words in shown.screen_text() for words in said))
        lines = [line for line in shown.screen_text().splitlines() if "│" in line]
        names = [name for line in lines for name in ("gone", "found", "tests", "api") if f" {name}  " in line]
        assert names == ["gone", "found", "tests", "api"], "what asks for something first"
        await shown.back()
        await shown.until(lambda: not shown.deck.away_line.display, "it to count as read")


async def test_it_takes_no_key_from_who_is_at_work_and_a_line_says_it(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.press("tab")
        told(shown, *FOUR)
        await shown.until(lambda: shown.deck.away_line.display)
        await shown.pilot.pause(0.1)
        assert shown.app.screen is shown.deck
        line = shown.deck.away_line
        await shown.until(lambda: "? 2 · ✓ 1 · ● 1" in line.plain and line.plain.endswith(" A"))
        await shown.pilot.resize_terminal(180, 40)
        await shown.until(lambda: "1 lost · 1 detached · 1 ended · 1 runs on" in line.plain)
        await shown.press("A")
        await listed(shown)
        await shown.back()
        await shown.until(lambda: not line.display)
        await shown.press("A")
        await listed(shown)  # it can be read again
        await shown.back()


async def test_a_small_terminal_has_room_for_the_line(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        await shown.press("tab")
        told(shown, fate("a", "readopted"), fate("b", "lost"))
        await shown.until(lambda: shown.deck.away_line.plain == " ↩ 1 lost · 1 runs on  A")
        await shown.press("A")
        await shown.until(lambda: "Open  Enter" in shown.screen_text() and "what is said of b" in shown.screen_text())
        await shown.back()


async def test_one_that_was_taken_over_and_had_ended_is_told_as_ended(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start("exit 5", name="brief", open_tab=False)
        await shown.until(lambda: not slot.live)
        told(shown, fate("brief", "readopted", slot.job.session_id))
        await shown.until(lambda: "✗ brief  ended, exit 5" in shown.screen_text())
        await shown.back()
        later = await shown.start("read x; exit 6", name="later", open_tab=False)
        told(shown, fate("later", "readopted", later.job.session_id))
        shown.engine.submit(later.job.session_id, "").result()
        await shown.until(lambda: not later.live)
        await shown.press("A")
        await shown.until(lambda: "● later  runs on" in shown.screen_text(), "what it was when that was told")
        await shown.back()


async def test_that_all_run_on_opens_nothing_by_itself(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        told(shown, fate("api", "readopted"), fate("web", "readopted"))
        await shown.until(lambda: "2 run on" in shown.deck.away_line.plain)
        await shown.pilot.pause(0.1)
        assert shown.app.screen is shown.deck


async def test_enter_opens_the_job(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        one = await shown.start("echo here I am; sleep 1000", name="api", open_tab=False)
        two = await shown.start("echo and so am I; sleep 1000", name="web", open_tab=False)
        told(shown, fate("api", "readopted", one.job.session_id), fate("web", "readopted", two.job.session_id))
        await shown.press("A")
        await listed(shown)
        await shown.press("down", "enter")
        await shown.until(lambda: shown.deck.area.active == two.id and shown.deck.area.pane_has_focus)
        await shown.until(lambda: "and so am I" in shown.pane_text())


async def test_one_whose_result_is_gone_is_told(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        told(shown, fate("gone", "lost"))
        await listed(shown)
        await shown.press("enter")
        await shown.until(lambda: any("gone can't be opened" in said for said in shown.said))


async def test_what_was_lost_is_in_the_feed_once(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.press("tab")
        told(shown, *FOUR)
        log = shown.deck.signals.hits
        rows = [row for number in range(log.first, log.end) if (row := log.get(number)) is not None]
        assert [(row.name, row.note, row.text) for row in rows] == [("gone", "lost", "what is said of gone [b]")]


async def test_it_is_in_the_palette_once_there_is_something(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        assert not shown.deck.offers("view.away")
        await shown.press("A")
        await shown.until(lambda: any("No jobs were left" in toast for toast in shown.said))
        await shown.press("tab")
        told(shown, *FOUR)
        assert shown.deck.offers("view.away")
