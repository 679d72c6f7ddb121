"""Nothing is told by colour alone: without any, every state, mark, focus, match and severity is told apart still."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from contrast import colours
from job_views import running
from rich.color import ColorType
from scenes import VIEWS, busy, open_dialog
from textual.widgets import Button

from engine.events import JobStarted, JobState
from tui import toasts
from tui.reading.pattern import Wanted
from tui.show.states import Look, look
from tui.widgets.hit_feed import HitFeed
from tui.widgets.stack_lines import RAIL_WIDTH

if TYPE_CHECKING:
    from tests.tui.conftest import Console, Opened
    from tui.widgets.rows import Rows
    from tui.widgets.stack import StatusStack


@pytest.fixture
def no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def painted(shown: "Console") -> list[tuple[str, str]]:
    """The screen as attributes and text: what a terminal without colours shows; figures apart, which go by."""
    out = []
    for line in shown.app.screen._compositor.render_strips():
        for segment in line:
            style = segment.style
            looks = [style.bold, style.underline, style.reverse, style.strike, style.dim] if style is not None else []
            out.append((re.sub(r"\d", "0", segment.text), "".join("-" if not one else "x" for one in looks)))
    return out


def reversed_lines(widget: "StatusStack | Rows") -> list[int]:
    lines = [widget.render_line(y) for y in range(widget.size.height)]
    return [y for y, line in enumerate(lines) if any(part.style and part.style.reverse for part in line)]


@pytest.mark.parametrize("without", [False, True])
async def test_the_selected_row_is_told_apart_without_colours(
    console: "Opened", monkeypatch: pytest.MonkeyPatch, without: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    if without:
        monkeypatch.setenv("NO_COLOR", "1")
    async with console(size=(140, 40)) as shown:
        await shown.start("echo ERROR; sleep 1000", watch_patterns=("ERROR",))
        await shown.start("sleep 1001")
        await shown.until(lambda: "⚑1" in shown.stack_text())
        feed = shown.app.screen.query_one(HitFeed)
        for widget, rows in ((shown.deck.stack, 2), (feed, 1)):
            widget.focus()
            await shown.until(lambda widget=widget: widget.has_focus)  # type: ignore[misc]
            await shown.press("end")
            wanted = rows if without else 0
            await shown.until(lambda widget=widget, wanted=wanted: len(reversed_lines(widget)) == wanted)  # type: ignore[misc]


def rows_by_look(shown: "Console") -> Iterator[tuple[Look, str]]:
    """Every job's row without its name, its figures, and what it printed last."""
    stack = shown.deck.stack
    for slot in shown.deck.store:
        first = stack._rows[slot.id]
        said = slot.job.last_line or "\0"
        lines = [
            stack.render_line(first + n - stack.scroll_offset.y).text for n in range(stack._placed.height(slot.id))
        ]
        text = re.sub(r"[\d:.%MKGs]+", "0", " ".join(" ".join(lines).replace(said, "").split()))
        yield look(slot.job, slot.use), text.replace(slot.job.name, "").replace("▌", "").strip(" ·")


@pytest.mark.parametrize("size", [(200, 60), (80, 60)])
async def test_every_state_is_told_apart_by_its_row(console: "Opened", no_color: None, size: tuple[int, int]) -> None:
    async with console(size=size) as shown:
        await busy(shown)
        waiting = running("waiting", session_id="job_waiting", waits="waits for db: port 5432", place=1,
                          state=JobState.STARTING)  # fmt: skip
        shown.deck.take_events([JobStarted(1, 0.0, waiting)])
        await shown.until(lambda: "○ waiting" in shown.stack_text())
        assert (shown.deck.stack.size.width < RAIL_WIDTH) is (size[0] < 100)
        told: dict[str, set[Look]] = {}
        for seen, text in rows_by_look(shown):
            told.setdefault(text.split("⚑")[0].split("•")[0].strip(), set()).add(seen)
        looks = set().union(*told.values())
        assert looks >= set(Look) - {Look.IDLE}
        assert [seen for seen in told.values() if len(seen) > 1] == []


async def test_nothing_that_is_painted_has_a_colour_and_each_focus_is_seen(console: "Opened", no_color: None) -> None:
    async with console(size=(120, 40)) as shown:
        await busy(shown)
        pictures: list[list[tuple[str, str]]] = []

        async def another(name: str) -> None:
            await shown.until(lambda: painted(shown) not in pictures, f"{name} to look like none before it")
            pictures.append(painted(shown))
            for line in shown.app.screen._compositor.render_strips():
                for segment in line:
                    for color in colours(segment):
                        assert color is None or color.type is ColorType.DEFAULT, (name, segment)

        for name, (enter, leave) in VIEWS.items():
            await enter(shown)
            await another(name)
            await leave(shown)
        shown.deck.focus_signals("barriers")
        await another("waits")


async def test_each_button_that_has_the_focus_is_seen(console: "Opened", no_color: None) -> None:
    async with console(size=(120, 40)) as shown:
        await busy(shown)
        dialog = await open_dialog(shown, "quit")
        buttons = {str(button.label).strip(): button for button in dialog.query(Button)}
        assert len(buttons) == len(dialog.query(Button)) > 2

        def standing_out() -> list[str]:
            reversed_ = [text.strip() for text, looks in painted(shown) if looks[2:3] == "x"]
            return [label for label in buttons if label in reversed_]

        for label, button in buttons.items():
            button.focus()
            await shown.until(lambda label=label: standing_out() == [label])  # type: ignore[misc]


async def test_matches_the_current_one_and_the_selection_are_told_apart(console: "Opened", no_color: None) -> None:
    async with console() as shown:
        slot = await shown.start("printf 'one two one two\\n'; sleep 1000")
        await shown.until(lambda: "one two one two" in shown.pane_text())
        shown.deck.focus_pane()
        shown.pane(slot).search.search.seek(Wanted("one"))
        shown.pane(slot).search.search.go(1)

        def looks() -> set[tuple[bool, bool]]:
            return {
                (bool(piece.style.underline), bool(piece.style.reverse))
                for piece in shown.pane(slot).view.render_line(0)
                if piece.style is not None and piece.text == "one"
            }

        await shown.until(lambda: looks() == {(True, False), (False, True)})


async def test_how_bad_news_are_is_said_by_a_sign(console: "Opened") -> None:
    async with console() as shown:
        for severity in ("information", "warning", "error"):
            toasts.say(shown.app, "the same words", severity)
        toasts.say(shown.app, "✗ has one already", "error")
        await shown.until(lambda: shown.toasts() == ["✗ the same words", "✗ has one already"])
        toasts.say(shown.app, "the same words", "warning")
        assert "! the same words" in [toast.message for toast in shown.app._notifications]
