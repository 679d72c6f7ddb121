"""Without Unicode every sign of the console is one of ASCII, and of the same width; states are told apart still."""

import time
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from engine import Settings
from engine.events import Fate, Recovered
from tui.ascii_only import in_ascii, wanted
from tui.show.states import GLYPHS, Look

if TYPE_CHECKING:
    from tests.tui.conftest import Opened


@pytest.mark.parametrize("settings", [Settings(ascii=True)])
async def test_no_screen_paints_anything_else(console: "Opened") -> None:
    async with console(size=(140, 40)) as shown:
        text = r"printf '\342\224\200\342\234\223 w\303\266rld \344\275\240 |\n'; "
        await shown.start(f"{text}sleep 1000", name="wörld", persist_on_release=True)
        await shown.until(lambda: "-+ w?rld ?? |" in shown.screen_text())
        await shown.until(lambda: "k kept when jobdeck ends" in shown.screen_text())
        assert shown.screen_text().isascii()
        for key, closes in (("?", "escape"), ("a", "escape"), ("R", "escape"), ("q", "escape"), ("ctrl+p", "escape")):
            await shown.press(key)
            await shown.until(lambda: shown.app.screen is not shown.deck)
            await shown.arrived()
            assert shown.screen_text().isascii(), key
            await shown.press(closes)
            await shown.until(lambda: shown.app.screen is shown.deck)
        fate = Fate(session_id="proc_x", name="x", command="x", owner="", fate="lost", text="…", exit_code=None)
        shown.deck.take_events([Recovered(1, time.time(), (fate,))])
        await shown.until(lambda: "1 lost" in shown.deck.away_line.plain)
        assert shown.screen_text().isascii()
        for slot in shown.deck.store:
            shown.engine.kill(slot.job.session_id, now=True).result()


def test_states_are_told_apart_in_ascii_too() -> None:
    signs = {in_ascii(GLYPHS[seen]) for seen in Look}
    assert len(signs) == len(set(GLYPHS.values())) and all(sign.isascii() for sign in signs)


def test_new_output_is_taken_neither_for_the_bell_nor_for_a_hit() -> None:
    assert in_ascii("•") not in {"!", in_ascii("⚑")}


@pytest.mark.parametrize("text", ["plain", "●✓✗⊘∞⇡↩◷⚑", "╭─╮│", "wörld", "你好", "a\u0301"])
def test_widths_stay(text: str) -> None:
    assert in_ascii(text).isascii() and cell_len(in_ascii(text)) == cell_len(text)


def test_the_variable_goes_before_the_setting() -> None:
    assert wanted(False, {"JOBDECK_ASCII": "1"}) and not wanted(True, {"JOBDECK_ASCII": "0"})
    assert wanted(True, {}) and wanted(True, {"JOBDECK_ASCII": " "}) and not wanted(False, {})
