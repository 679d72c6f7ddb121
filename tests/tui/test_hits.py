"""The hit feed: every hit is seen live, and Enter goes from it to its line."""

import asyncio
import time
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from textual.widgets import Button

from engine.events import EngineNotice, Event, WatchDisabled, WatchHit, WatchOverflow, WatchReleased
from engine.replay import Chunk
from tui.actions.jumping import go_to_line
from tui.signals.hit_log import MOST_ROWS, HitLog, Kind
from tui.widgets.gutter import HERE, MARK

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened

NUMBERED = "for i in $(seq 1 300); do echo line $i; done; echo ERROR [b]bad[/b] it; seq 301 600; sleep 1000"


def hit(session_id: str, text: str = "ERROR", **fields: Any) -> WatchHit:
    usual: dict[str, Any] = {"position": 0, "line": 0, "pattern": "ERROR"}
    return WatchHit(sequence=1, at=time.time(), session_id=session_id, text=text, **{**usual, **fields})


def feed_text(shown: "Console") -> str:
    feed = shown.deck.signals.hit_feed
    return "\n".join(feed.render_line(y).text.rstrip(" ▐") for y in range(feed.size.height)).rstrip()


def marks(shown: "Console") -> str:
    pane = shown.deck.area.pane
    assert pane is not None
    return "".join(pane.marks.render_line(y).text for y in range(pane.marks.size.height))


async def go_to_newest_hit(shown: "Console") -> None:
    shown.deck.focus_signals("hits")
    await shown.until(lambda: shown.app.focused is shown.deck.signals.hit_feed)
    await shown.press("enter")


async def test_a_hit_is_seen_live_and_enter_goes_to_its_line(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start(NUMBERED, name="api", watch_patterns=("ERROR",))
        await shown.until(lambda: "ERROR [b]bad[/b] it" in feed_text(shown))
        assert "⚑ api" in feed_text(shown)
        await shown.until(lambda: "⚑1" in shown.stack_text())
        await shown.until(lambda: "600" in shown.pane_text())
        await go_to_newest_hit(shown)
        await shown.until(lambda: "ERROR [b]bad[/b] it" in shown.pane_text())
        view = shown.deck.area.view
        assert view is not None and not view.follow
        assert HERE in marks(shown)
        assert "line 300" in shown.pane_text() and "301" in shown.pane_text()


async def test_enter_opens_the_pane_of_a_job_that_has_none(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start(NUMBERED, name="api", watch_patterns=("ERROR",), open_tab=False)
        await shown.until(lambda: "bad" in feed_text(shown))
        await go_to_newest_hit(shown)
        await shown.until(lambda: shown.deck.area.active == slot.id)
        await shown.until(lambda: "ERROR [b]bad[/b] it" in shown.pane_text())
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.active is None)
        await go_to_newest_hit(shown)
        await shown.until(lambda: "ERROR [b]bad[/b] it" in shown.pane_text() and HERE in marks(shown))


async def test_the_line_that_was_gone_to_is_marked_still_when_lines_are_wrapped_anew(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start(NUMBERED, name="api", watch_patterns=("ERROR",))
        await shown.until(lambda: "600" in shown.pane_text() and "bad" in feed_text(shown))
        await go_to_newest_hit(shown)
        await shown.until(lambda: HERE in marks(shown))
        columns = shown.pane(slot).emulator.screen.columns
        await shown.pilot.resize_terminal(110, 40)
        await shown.until(lambda: shown.pane(slot).emulator.screen.columns < columns)

        def marked() -> str:
            rows = shown.pane_text().splitlines()
            return next((row for row, mark in zip(rows, marks(shown), strict=False) if mark == HERE), "")

        await shown.until(lambda: "ERROR [b]bad[/b] it" in marked())


@pytest.mark.parametrize("wrapped", [1, 5])
async def test_the_right_one_of_equal_lines_is_gone_to_though_lines_wrap(console: "Opened", wrapped: int) -> None:
    # Each is as long as several rows; only the number tells the equal ones apart.
    long = "x" * (90 * wrapped)
    command = f"for i in $(seq 1 50); do echo ERROR same {long}; [ $i = 30 ] && echo mark30; done; sleep 1000"
    async with console(size=(140, 40)) as shown:
        slot = await shown.start(command, name="api", watch_patterns=("mark30",))
        await shown.until(lambda: "mark30" in feed_text(shown))
        shown.deck.take_events(
            [hit(slot.job.session_id, f"ERROR same {long}", line=29, position=29 * len(f"ERROR same {long}\r\n"))]
        )
        await go_to_newest_hit(shown)
        await shown.until(lambda: HERE in marks(shown))
        pane = shown.pane(slot)
        assert pane.emulator.text(pane.marks.here.start).startswith("ERROR same")
        await shown.until(lambda: pane.emulator.text(pane.marks.here.stop) == "mark30", "the line after it to come")


async def test_a_line_that_has_come_in_part_is_waited_for(console: "Opened", monkeypatch: pytest.MonkeyPatch) -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start("sleep 1000", name="api")
        pane = shown.pane(slot)
        await shown.until(lambda: pane.caught_up and not pane.stream.waiting)
        monkeypatch.setattr(shown.deck.bridge.pump, "wake", lambda: None)  # it is fed here
        line = "ERROR connection refused"
        at = pane.stream.position or 0
        pane.stream._feed.put(Chunk(at, f"{line}\r\n"))
        pane.stream.step(len("ERROR conn"))
        slot.job = msgspec.structs.replace(slot.job, total_output_chars=at + len(line) + 2)
        going = asyncio.create_task(go_to_line(shown.deck, slot, 0, at, line))
        while not pane.stream.waiting or not shown.deck.area.pane_has_focus:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)  # it looks fifty times a second
        assert not going.done() and not [said for said in shown.said if "isn't on its screen" in said]
        pane.stream.step(100)
        await going
        assert pane.marks.here == range(1)


async def test_a_line_that_is_no_longer_kept_is_said_to_be_gone(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start("echo ERROR first; seq 1 30000; sleep 1000", name="api", watch_patterns=("ERROR",))
        await shown.until(lambda: "ERROR first" in feed_text(shown))
        await shown.until(lambda: "30000" in shown.pane_text())
        await go_to_newest_hit(shown)
        await shown.until(lambda: any("line 1 is no longer kept" in said for said in shown.said))
        assert shown.pane(slot).marks.here == range(0)


async def test_lines_that_match_are_marked_and_marks_follow_the_patterns(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start("echo ok; echo WARN a; echo ok; echo warn b; sleep 1000", watch_patterns=("WARN",))
        await shown.until(lambda: marks(shown).startswith(f" {MARK}  "))
        await shown.dialog("e", "patterns")
        await shown.press("enter", *"/warn/i", "ctrl+s")
        await shown.until(lambda: slot.job.watch_patterns == ("WARN", "/warn/i"))
        await shown.until(lambda: marks(shown).startswith(f" {MARK} {MARK} "))


async def test_hits_that_are_held_back_are_greyed_and_counted_in_one_row(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        await shown.start("for i in 1 2 3 4; do echo ERROR $i; sleep 0.3; done; sleep 1000", name="api",
                          watch_patterns=("ERROR",))  # fmt: skip
        await shown.until(lambda: "+3 within 15 s" in feed_text(shown))
        assert shown.deck.signals.hits.hits == 4
        await go_to_newest_hit(shown)
        await shown.until(lambda: HERE in marks(shown))
        pane = shown.deck.area.pane
        assert pane is not None
        row = shown.deck.signals.hit_feed.row
        assert row is not None and row.kind is Kind.HELD
        assert pane.emulator.text(pane.marks.here.start) == row.text != "ERROR 1"


async def test_the_feed_keeps_its_place_while_it_is_scrolled_up(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start("sleep 1000", name="api")
        session = slot.job.session_id
        shown.deck.take_events([hit(session, f"ERROR {number}") for number in range(50)])
        shown.deck.focus_signals("hits")
        feed = shown.deck.signals.hit_feed
        await shown.until(lambda: shown.app.focused is feed and "ERROR 49" in feed_text(shown))
        await shown.press("up", "up", "up")
        row, before = feed.row, feed_text(shown)
        shown.deck.take_events([hit(session, f"ERROR later {number}") for number in range(50)])
        await shown.until(lambda: "below" in shown.screen_text())
        assert feed_text(shown) == before
        assert feed.row is row
        await shown.press("end")
        await shown.until(lambda: "ERROR later 49" in feed_text(shown))
        shown.deck.take_events([hit(session, "ERROR newest")])
        await shown.until(lambda: "ERROR newest" in feed_text(shown))


async def test_a_flood_of_hits_leaves_keys_answered_and_memory_bounded(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        slot = await shown.start("sleep 1000", name="api")
        events: list[Event] = [
            hit(slot.job.session_id if job == 0 else f"proc_{job}", f"ERROR {number}", delivered=number % 7 == 0,
                held_by="" if number % 7 == 0 else "cooldown", count=10)
            for number in range(100) for job in range(200)
        ]  # fmt: skip
        for start in range(0, len(events), 1000):
            shown.deck.take_events(events[start : start + 1000])
            await shown.press("question_mark")
            await shown.until(lambda: shown.app.screen is not shown.deck)
            await shown.press("escape")
            await shown.until(lambda: shown.app.screen is shown.deck)
        log = shown.deck.signals.hits
        assert len(log) == MOST_ROWS
        assert log.hits == 200_000
        assert len(log._held) <= MOST_ROWS


async def test_a_notice_is_read_in_full_and_leads_to_its_job(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        slot = await shown.start("sleep 1000", name="api", open_tab=False)
        why = "it matched in too many windows " * 5 + "and so on"
        session_id = slot.job.session_id
        shown.deck.take_events(
            [WatchDisabled(sequence=1, at=time.time(), session_id=session_id, why=why, notify_on_complete=True)]
        )
        await go_to_newest_hit(shown)
        await shown.until(lambda: "and so on · its end will be" in shown.screen_text())
        await shown.until(lambda: isinstance(shown.app.focused, Button))
        await shown.press("enter")
        await shown.until(lambda: shown.deck.area.active == slot.id and shown.app.screen is shown.deck)


async def test_space_reads_a_hit_and_one_whose_job_is_gone_is_read_on_enter(console: "Opened") -> None:
    async with console(size=(80, 24)) as shown:
        slot = await shown.start(f"echo ERROR {'long ' * 30} tail; sleep 1000", name="api", watch_patterns=("ERROR",))
        await shown.until(lambda: len(shown.deck.signals.hits) > 0)
        shown.deck.focus_signals("hits")
        await shown.until(lambda: "space read" in shown.deck.footer.plain)
        await shown.press("space")
        await shown.until(lambda: "line 1 · matches ERROR" in shown.screen_text() and "tail" in shown.screen_text())
        await shown.back()
        gone = hit("proc_gone", "ERROR of one that was restarted")
        shown.deck.take_events([gone])
        await go_to_newest_hit(shown)
        await shown.until(lambda: "Its output is no longer here" in shown.screen_text())
        assert slot.live and "Go to" not in shown.screen_text()


def test_what_is_not_a_hit_stands_in_the_feed_too() -> None:
    log = HitLog(lambda session_id: session_id)
    now = time.time()
    log.apply(
        [
            WatchOverflow(1, now, now + 30),
            WatchReleased(2, now, 12),
            WatchDisabled(sequence=3, at=now, session_id="proc_1", why="3 windows in a row", notify_on_complete=True),
            EngineNotice(4, now, "the disk is full"),
        ]
    )
    rows = [log.get(number) for number in range(log.first, log.end)]
    assert all(row is not None and row.kind is Kind.NOTICE for row in rows)
    texts = [row.text for row in rows if row is not None]
    assert "12 were held back" in texts[1]
    assert "its watch is off: 3 windows in a row · its end will be told" in texts[2]


def test_each_cause_is_counted_apart_and_a_delivered_hit_begins_anew() -> None:
    log = HitLog(lambda session_id: session_id)
    held: dict[str, Any] = {"delivered": False}
    log.apply(
        [
            hit("a", "1"),
            hit("a", "2", held_by="cooldown", **held),
            hit("a", "3", held_by="cooldown", count=4, **held),
            hit("a", "4", held_by="breaker", **held),
            hit("b", "5", held_by="cooldown", **held),
            hit("a", "6"),
            hit("a", "7", held_by="cooldown", **held),
        ]
    )
    rows = [log.get(number) for number in range(log.first, log.end)]
    assert [(row.name, row.note, row.text) for row in rows if row is not None] == [
        ("a", "", "1"),
        ("a", "+5 within 15 s", "3"),
        ("a", "+1 while hits were held back", "4"),
        ("b", "+1 within 15 s", "5"),
        ("a", "", "6"),
        ("a", "+1 within 15 s", "7"),
    ]
