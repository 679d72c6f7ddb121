"""When did this line come: by the time marks of the output, for whole lines, whatever wraps or is cut up."""

import random
import re
import time
from typing import TYPE_CHECKING

import pytest

from engine.replay import Base, Chunk, Replay, TimeMark
from tui.bridge.feed import Feed
from tui.reading.arrivals import Arrivals
from tui.widgets.emulator import Emulator
from tui.widgets.time_column import WIDTH, arrived

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened


class Taker(Emulator):
    def being_read(self) -> bool:
        return False


def fed(pieces: list[tuple[float, str]], *, slice_chars: int, chunks: int, cols: int = 40) -> Taker:
    """An emulator that has taken in these texts, each with the time at which it came."""
    emulator = Taker(cols, 6, pty=True)
    feed = Feed(emulator)
    feed.put(Replay(0, Base(cols, 6, ""), (), ()))
    text, marks = "", []
    for at, piece in pieces:
        marks.append(TimeMark(len(text), at))
        text += piece
    step = max(1, len(text) // chunks)
    for start in range(0, len(text), step):
        end = min(len(text), start + step)
        feed.put(Chunk(start, text[start:end], tuple(m for m in marks if start <= m.position < end)))
    while feed.waiting:
        feed.step(slice_chars)
    return emulator


@pytest.mark.parametrize("slice_chars", [1, 7, 100_000])
@pytest.mark.parametrize("chunks", [1, 5, 60])
def test_lines_have_the_time_of_their_first_character_however_they_are_cut(slice_chars: int, chunks: int) -> None:
    r = random.Random(3)
    pieces: list[tuple[float, str]] = []
    expected: list[float] = []
    begun = False
    for number in range(200):
        text = "".join(r.choice(("word ", "x" * 50, "\x1b[31mred\x1b[m", "\r\n", "\r\n", "日本")) for _ in range(4))
        for part in re.split(r"(?<=\n)", text):
            if part and not begun:
                expected.append(float(number))
            begun = (bool(part) and not part.endswith("\n")) or (begun and not part)
        pieces.append((float(number), text))
    emulator = fed(pieces, slice_chars=slice_chars, chunks=chunks)
    assert [emulator.arrivals.at(line) for line in range(len(expected))] == expected
    emulator.take_size(13, 6)
    assert emulator.lines.newest >= len(expected) - 1
    assert [emulator.arrivals.at(line) for line in range(len(expected))] == expected


def test_a_long_log_is_taken_in_as_raw_lines_in_spite_of_its_times() -> None:
    pieces = [(float(n), f"a line of a log, the {n}th of them\r\n") for n in range(20_000)]
    emulator = fed(pieces, slice_chars=100_000, chunks=3)
    assert emulator.stream.deferred > 0.9 * sum(len(text) for _, text in pieces)
    for line in (emulator.lines.first, 15_000, 19_999):
        assert emulator.arrivals.at(line) == float(line)


def test_a_line_written_anew_has_come_anew() -> None:
    up_and_on = [(1.0, "one\r\ntwo\r\nthree\r\n"), (2.0, "\x1b[2Atwo again\r\n"), (3.0, "\r\nfour")]
    emulator = fed(up_and_on, slice_chars=1_000, chunks=3)
    assert [emulator.arrivals.at(line) for line in range(2)] == [1.0, 1.0]
    assert emulator.arrivals.at(3) == 3.0


def test_the_alternate_screen_has_no_times() -> None:
    emulator = fed(
        [(1.0, "one\r\n"), (2.0, "\x1b[?1049h\x1b[H"), (3.0, "a\r\nb\r\n\x1b[?1049l"), (4.0, "two\r\n")],
        slice_chars=1_000,
        chunks=1,
    )
    assert emulator.arrivals.at(0) == 1.0


def test_times_of_lines_that_are_gone_go_too() -> None:
    arrivals = Arrivals()
    for line in range(50_000):
        arrivals.add(line, float(line))
        arrivals.drop_before(line - 1_000)
    assert len(arrivals._lines) <= 21_100
    assert arrivals.at(49_500) == 49_500.0


def test_times_fill_their_column() -> None:
    now = time.mktime((2026, 11, 29, 12, 0, 0, 0, 0, -1))
    assert arrived(now - 61, now) == " 11:58:59"
    assert arrived(now - 86_400, now) == "Sat 12:00"
    assert arrived(now - 30 * 86_400, now).strip() == "30 Oct"
    assert arrived(now + 86_400, now).strip() == "30 Nov"
    assert all(len(arrived(now - ago, now)) <= WIDTH for ago in (0, 1e5, 1e6, 1e8))


def column(shown: "Console") -> list[str]:
    pane = shown.deck.area.pane
    assert pane is not None
    return [pane.times.render_line(y).text.strip() for y in range(pane.times.size.height)]


async def test_the_column_stands_beside_the_lines_also_in_a_reopened_pane(console: "Opened") -> None:
    async with console() as shown:
        slot = await shown.start("echo first; printf 'L%.0s' $(seq 150); echo; read go; echo later; sleep 1000")
        await shown.until(lambda: "LLL" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("t")
        view = shown.pane(slot).view
        await shown.until(lambda: view.emulator.screen.columns == view.room.width and column(shown)[0])
        assert re.fullmatch(r"\d\d:\d\d:\d\d", column(shown)[0])
        first = column(shown)[0]
        await shown.until(lambda: time.strftime("%H:%M:%S") != first)
        shown.engine.submit(slot.job.session_id, "")
        await shown.until(lambda: "later" in shown.pane_text())

        def beside() -> dict[str, str]:
            found, last = {}, ""  # what came in the same second as the line above it stands beside nothing
            for at, text in zip(column(shown), shown.pane_text().split("\n"), strict=False):
                found[text] = last = at or last
            return found

        await shown.until(lambda: beside().get("first") == first and beside().get("later", first) != first)
        times = beside()
        await shown.press("c")
        await shown.until(lambda: shown.deck.area.order == ())
        shown.deck.area.open(slot.id)
        await shown.until(lambda: "later" in shown.pane_text())
        shown.deck.focus_pane()
        await shown.press("t")
        await shown.until(lambda: all(beside().get(text) == times[text] for text in ("first", "later")))
        await shown.press("t")
        await shown.until(lambda: not shown.pane(slot).times.display)
